import { ChainError } from './errors.ts';

/** A node's error to a method that is passed on to it: the caller gets its code, message and data as they are, without secrets. */
export class NodeRefusal extends ChainError {
  readonly code: number;
  /** A JSON value; undefined where the node gave none. */
  readonly nodeData: unknown;

  constructor(code: number, message: string, nodeData: unknown) {
    super('refused', message);
    this.code = code;
    this.nodeData = nodeData;
  }
}
