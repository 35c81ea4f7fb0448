import { type BoundName, describeBoundRefusal } from '../util/bounds.ts';

/** A request refused by the admin server: status and message, which never quotes the request. */
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

/** A refusal by a bound. The message names the bound. */
export class BoundRefusal extends AdminRefusal {
  readonly bound: BoundName;

  constructor(status: number, bound: BoundName, headers?: Readonly<Record<string, string>>) {
    super(status, describeBoundRefusal(bound), headers);
    this.bound = bound;
  }
}
