/** What a transport knows of the client, before anything of a body is read. Header values are as they were sent. */
export type Visitor = {
  readonly host: string | undefined;
  /** The network's name in the path; undefined where the host says which is meant. */
  readonly network: string | undefined;
  /** The key in the path. */
  readonly key: string | undefined;
  readonly origin: string | undefined;
  readonly userAgent: string | undefined;
  readonly authorization: string | undefined;
  /** What the client calls the series of requests that this is one of: those of it see what was sent in it. */
  readonly session?: string | undefined;
  /** Each result is to say how far it is to be believed. */
  readonly showsTrust?: true;
  /** W3C trace context. */
  readonly traceParent: string | undefined;
  /** It has been let in before: when its key no longer opens, that is no guess. */
  readonly wasAdmitted?: true;
  /** IP address of the client. */
  readonly address: string;
  /** A proxy has passed the request on, and says so. */
  readonly isForwarded?: true;
};
