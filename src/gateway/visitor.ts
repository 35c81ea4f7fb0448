/** Client facts known to a transport before any of a body is read. Header values are verbatim. */
export type Visitor = {
  readonly host: string | undefined;
  /** Network name in the path; undefined where the host selects the network. */
  readonly network: string | undefined;
  /** Key in the path. */
  readonly key: string | undefined;
  readonly origin: string | undefined;
  readonly userAgent: string | undefined;
  readonly authorization: string | undefined;
  /** Client-chosen name of a series of requests, within which each sees the transactions sent in it. */
  readonly session?: string | undefined;
  /** Each result is to report how far it is verified. */
  readonly showsTrust?: true;
  /** W3C trace context. */
  readonly traceParent: string | undefined;
  /** The client was admitted before: a key that is no longer valid then is not a guess. */
  readonly wasAdmitted?: true;
  /** IP address of the client. */
  readonly address: string;
  /** A proxy forwarded the request and added a header. */
  readonly isForwarded?: true;
};
