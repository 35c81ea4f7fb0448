/** Receiver of traces in a process of its own: accepts OTLP over HTTP in JSON and prints one line of JSON per span. Its first line is its port. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

type Attribute = { readonly key: string; readonly value: Readonly<Record<string, unknown>> };

type OtlpSpan = {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: readonly Attribute[];
  readonly status?: { readonly code?: number };
};

type OtlpBody = {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
};

function readAttributes(attributes: readonly Attribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}

const server = createServer(async (request, response) => {
  let text = '';
  for await (const chunk of request) text += chunk;
  const isOtlp =
    request.method === 'POST' &&
    request.url === '/v1/traces' &&
    request.headers['content-type'] === 'application/json' &&
    request.headers['x-receiver-key'] === 'letmein';
  if (!isOtlp) {
    response.writeHead(400).end();
    return;
  }
  for (const { resource, scopeSpans } of (JSON.parse(text) as OtlpBody).resourceSpans) {
    for (const { spans } of scopeSpans) {
      for (const { attributes, ...span } of spans) {
        const line = {
          ...span,
          attributes: readAttributes(attributes),
          resource: readAttributes(resource.attributes),
        };
        process.stdout.write(`${JSON.stringify(line)}\n`);
      }
    }
  }
  response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
