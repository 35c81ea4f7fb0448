import { ChainError } from './errors.ts';

/** Node's error to a forwarded method: the caller gets its code, message and data unchanged, with secrets removed. */
export class NodeRefusal extends ChainError {
  readonly code: number;
  /** JSON value; undefined if the node sent none. */
  readonly nodeData: unknown;

  constructor(code: number, message: string, nodeData: unknown) {
    super('refused', message);
    this.code = code;
    this.nodeData = nodeData;
  }
}
