import type { Metric } from '../metric.ts';

export const TRANSPORT_METRICS: readonly Metric[] = [
  {
    name: 'portcullis_http_requests_total',
    type: 'counter',
    help: 'Answers over HTTP by status; 101 is a WebSocket that was opened.',
    labels: ['status'],
    merge: 'sum',
    *read({ requests }) {
      for (const [status, value] of requests.statuses) yield { labels: { status }, value };
    },
  },
  {
    name: 'portcullis_websocket_messages_total',
    type: 'counter',
    help: 'Messages over WebSocket that were answered.',
    labels: [],
    merge: 'sum',
    read: ({ requests }) => [{ labels: {}, value: requests.messages }],
  },
  {
    name: 'portcullis_request_received_bytes_total',
    type: 'counter',
    help: 'Bodies of requests and messages, after decompression.',
    labels: [],
    merge: 'sum',
    read: ({ requests }) => [{ labels: {}, value: requests.requestBytes }],
  },
  {
    name: 'portcullis_response_sent_bytes_total',
    type: 'counter',
    help: 'Bodies of answers, before compression.',
    labels: [],
    merge: 'sum',
    read: ({ requests }) => [{ labels: {}, value: requests.responseBytes }],
  },
  {
    name: 'portcullis_http_connections',
    type: 'gauge',
    help: 'Open connections, those of WebSockets among them.',
    labels: [],
    merge: 'sum',
    read: ({ sources }) => [{ labels: {}, value: sources.readServer().connections }],
  },
  {
    name: 'portcullis_websocket_connections',
    type: 'gauge',
    help: 'Open WebSockets.',
    labels: [],
    merge: 'sum',
    read: ({ sources }) => [{ labels: {}, value: sources.readServer().webSockets }],
  },
  {
    name: 'portcullis_gateway_bodies_in_flight',
    type: 'gauge',
    help: 'Bodies in work.',
    labels: [],
    merge: 'sum',
    read: ({ sources }) => [{ labels: {}, value: sources.readServer().inFlight }],
  },
];
