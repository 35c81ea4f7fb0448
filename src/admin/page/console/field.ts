import type { OpenRpcSchema } from './open-rpc.ts';

/** One value of a form. */
export interface Field {
  readonly root: HTMLElement;
  /**
   * Returns the value, or `undefined` for an omitted value.
   * @throws FieldProblem
   */
  read(): unknown;
  /** @returns false when the field cannot show the value */
  write(value: unknown): boolean;
}

export type FieldFacts = {
  readonly name: string;
  readonly required: boolean;
  readonly description: string;
  readonly schema: OpenRpcSchema;
};

/** Error for a form that cannot be sent because of the text of one field. */
export class FieldProblem extends Error {
  /** Displays the message beside the field, and focuses the field. */
  readonly show: () => void;

  constructor(name: string, message: string, show: () => void) {
    super(`${name}: ${message}`);
    this.show = show;
  }
}

let lastId = 0;

/** Creates an element id for labels and descriptions. */
export function createId(name: string): string {
  lastId++;
  return `field-${lastId}-${name.replace(/\W/g, '')}`;
}
