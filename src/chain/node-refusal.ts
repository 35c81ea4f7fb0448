import { ChainError } from './errors.ts';

/** A node's error to a forwarded method. The caller receives its code, message and data unchanged, except that secrets are removed. */
export class NodeRefusal extends ChainError {
  readonly code: number;
  /** Data of the error, any JSON value; undefined if the node sent none. */
  readonly nodeData: unknown;

  constructor(code: number, message: string, nodeData: unknown) {
    super('refused', message);
    this.code = code;
    this.nodeData = nodeData;
  }
}
