"""A camera of the network: an RTSP server that shows one color. It runs with the system's Python, which has GStreamer.

python3 rtsp_server.py PORT COLOR
"""

import sys

import gi  # type: ignore[import-not-found]  # the system's

gi.require_version("Gst", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstRtspServer  # type: ignore[import-not-found]  # noqa: E402

PIPELINE = """( videotestsrc is-live=true pattern={color} ! video/x-raw,format=I420,width=160,height=120,framerate=10/1
               ! jpegenc ! rtpjpegpay name=pay0 pt=26 )"""


def main() -> None:
    """Serve rtsp://127.0.0.1:PORT/camera until killed."""
    _, port, color = sys.argv
    Gst.init(None)
    server = GstRtspServer.RTSPServer()
    server.set_address("127.0.0.1")
    server.set_service(port)
    factory = GstRtspServer.RTSPMediaFactory()
    factory.set_launch(PIPELINE.format(color=color))
    factory.set_shared(True)
    server.get_mount_points().add_factory("/camera", factory)
    server.attach(None)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    GLib.MainLoop().run()


if __name__ == "__main__":
    main()
