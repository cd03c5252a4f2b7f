"""A server of JSON on loopback, for what platforms say: a subclass gives the answer to each question."""

import http.server
import json
import threading


class JsonServer:
    """Answers GET by `answer(path, headers)`, which returns the status and the value, or its bytes; at `base`."""

    def __init__(self):
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                status, value = outer.answer(self.path, self.headers)
                content = value if isinstance(value, bytes) else json.dumps(value).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *args):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.base = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def answer(self, path, headers):
        raise NotImplementedError

    def close(self):
        self._server.shutdown()
        self._server.server_close()
