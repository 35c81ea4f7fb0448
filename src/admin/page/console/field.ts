import type { JsonSchema } from './open-rpc.ts';

/** One value of a form. */
export interface Field {
  readonly root: HTMLElement;
  /** `undefined` when it was left out. @throws FieldProblem */
  read(): unknown;
  /** @returns false when it cannot show such a value */
  write(value: unknown): boolean;
}

export type FieldFacts = {
  readonly name: string;
  readonly required: boolean;
  readonly description: string;
  readonly schema: JsonSchema;
};

/** A form that cannot be sent as it is. */
export class FieldProblem extends Error {
  /** Says it beside the field, and goes there. */
  readonly show: () => void;

  constructor(name: string, message: string, show: () => void) {
    super(`${name}: ${message}`);
    this.show = show;
  }
}

let lastId = 0;

/** For labels and descriptions. */
export function createId(name: string): string {
  lastId++;
  return `field-${lastId}-${name.replace(/\W/g, '')}`;
}
