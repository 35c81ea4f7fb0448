import { type BoundName, describeBoundRefusal } from '../util/bounds.ts';

/** Refusal of a request by the admin server. The message never quotes the request. */
export class AdminRefusal extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.name = 'Refusal';
    this.status = status;
    this.headers = headers;
  }
}

/** Refusal because a bound was reached. The message names the bound. */
export class BoundRefusal extends AdminRefusal {
  readonly bound: BoundName;

  constructor(status: number, bound: BoundName, headers?: Readonly<Record<string, string>>) {
    super(status, describeBoundRefusal(bound), headers);
    this.bound = bound;
  }
}
