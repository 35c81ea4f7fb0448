import type { Metric } from '../metric.ts';

export const TRANSPORT_METRICS: readonly Metric[] = [
  {
    name: 'portcullis_http_requests_total',
    type: 'counter',
    help: 'Answers over HTTP by status. 101 counts opened WebSockets.',
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
    help: 'Bytes of the bodies of requests and messages, after decompression.',
    labels: [],
    merge: 'sum',
    read: ({ requests }) => [{ labels: {}, value: requests.requestBytes }],
  },
  {
    name: 'portcullis_response_sent_bytes_total',
    type: 'counter',
    help: 'Bytes of the bodies of answers, before compression.',
    labels: [],
    merge: 'sum',
    read: ({ requests }) => [{ labels: {}, value: requests.responseBytes }],
  },
  {
    name: 'portcullis_http_connections',
    type: 'gauge',
    help: 'Open connections, including those of WebSockets.',
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
    name: 'portcullis_http_arriving_bytes',
    type: 'gauge',
    help: 'Memory for bodies and messages that have not arrived whole.',
    labels: [],
    merge: 'sum',
    read: ({ sources }) => [{ labels: {}, value: sources.readServer().arrivingBytes }],
  },
  {
    name: 'portcullis_http_unsent_bytes',
    type: 'gauge',
    help: 'Memory for answers that their clients have not read.',
    labels: [],
    merge: 'sum',
    read: ({ sources }) => [{ labels: {}, value: sources.readServer().unsentBytes }],
  },
  {
    name: 'portcullis_share_refusals_total',
    type: 'counter',
    help: 'Refusals and closed connections because one caller used up its share of connections, webSockets, arriving or unsent bytes. slow: connections that read answers below the minimum rate.',
    labels: ['of'],
    merge: 'sum',
    *read({ sources }) {
      for (const [of, value] of Object.entries(sources.readServer().shareRefusals))
        yield { labels: { of }, value };
    },
  },
  {
    name: 'portcullis_gateway_bodies_in_flight',
    type: 'gauge',
    help: 'Bodies in progress.',
    labels: [],
    merge: 'sum',
    read: ({ sources }) => [{ labels: {}, value: sources.readServer().inFlight }],
  },
];
