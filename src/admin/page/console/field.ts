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

/** A form that cannot be sent in its current state. */
export class FieldProblem extends Error {
  /** Displays the problem beside the field and focuses it. */
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
