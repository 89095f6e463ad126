"""An OTLP receiver: reads requests with OpenTelemetry's own classes and writes their spans to a file.

otlp_receiver.py FILE: prints `ready URL`, then appends one JSON line for each span.
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

from opentelemetry.proto_json.collector.trace.v1.trace_service import ExportTraceServiceRequest


def value_of(value):
    """The one value that is set in an `AnyValue`."""
    for name in ("string_value", "int_value", "double_value", "bool_value"):
        found = getattr(value, name, None)
        if found is not None:
            return found
    raise ValueError(f"no value in {value}")


def attributes_of(holder):
    return {attribute.key: value_of(attribute.value) for attribute in holder.attributes}


def spans_of(body):
    request = ExportTraceServiceRequest.from_json(body)
    # A name that the classes do not know would be dropped without an error.
    if request.to_dict() != json.loads(body):
        raise ValueError("the request is not read back as it was sent")
    for resource_spans in request.resource_spans:
        resource = attributes_of(resource_spans.resource)
        for scope_spans in resource_spans.scope_spans:
            for span in scope_spans.spans:
                if len(span.trace_id) != 16 or len(span.span_id) != 8:
                    raise ValueError(f"ids of {span.name}")
                if not 0 < span.start_time_unix_nano <= span.end_time_unix_nano:
                    raise ValueError(f"times of {span.name}")
                yield {
                    "name": span.name,
                    "trace": span.trace_id.hex(),
                    "id": span.span_id.hex(),
                    "parent": (span.parent_span_id or b"").hex(),
                    "kind": int(span.kind),
                    "attributes": attributes_of(span),
                    "resource": resource,
                }


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        try:
            assert self.path == "/v1/traces", self.path
            assert self.headers["content-type"] == "application/json", self.headers
            spans = list(spans_of(body))
            status, answer = 200, b"{}"
        except Exception as error:  # The test reads the reason in the file.
            spans, status, answer = [{"error": repr(error)}], 400, b"{}"
        with open(sys.argv[1], "a", encoding="utf-8") as file:
            file.writelines(json.dumps(span) + "\n" for span in spans)
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        """Keeps stderr quiet."""


server = HTTPServer(("127.0.0.1", 0), Receiver)
print(f"ready http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
