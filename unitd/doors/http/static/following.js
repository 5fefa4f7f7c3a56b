/** A list that grows at its end: it stays there, unless somebody has scrolled up to read. */

import { useEffect, useRef } from "preact/hooks";

const NEAR_THE_END = 40;

/** The props for the element that scrolls; `content` is what grows. Also follows when the element itself shrinks. */
export function useFollowing(content) {
  const list = useRef(null);
  const isAtEnd = useRef(true);
  const follow = () => {
    if (isAtEnd.current) list.current.scrollTop = list.current.scrollHeight;
  };
  useEffect(follow, [content]);
  useEffect(() => {
    const observer = new ResizeObserver(follow);
    observer.observe(list.current);
    return () => observer.disconnect();
  }, []);
  const onScroll = ({ target }) => {
    isAtEnd.current = target.scrollHeight - target.scrollTop - target.clientHeight < NEAR_THE_END;
  };
  return { ref: list, onScroll };
}
