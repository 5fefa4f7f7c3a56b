"""A timetable for bus.toml: python examples/skills/server.py [PORT]."""

import json
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qs, urlparse


class Timetable(BaseHTTPRequestHandler):
    """Answers every question about the next bus."""

    def do_GET(self) -> None:
        """Send when the bus leaves."""
        to = parse_qs(urlparse(self.path).query).get("to", [""])[0]
        body = json.dumps({"to": to, "minutes": 7}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    HTTPServer(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 8090), Timetable).serve_forever()
