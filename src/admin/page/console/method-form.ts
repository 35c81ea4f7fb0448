import { element } from '../dom.ts';
import { ChoiceField } from './choice-field.ts';
import type { Field, FieldFacts } from './field.ts';
import { ObjectField } from './object-field.ts';
import { listAlternatives, type MethodDoc } from './open-rpc.ts';
import { TextField } from './text-field.ts';
import { listChoices } from './values.ts';

/** The parameters of a method, as fields made from their schemas. */
export class MethodForm {
  readonly root: HTMLElement;
  readonly #fields: readonly Field[];

  constructor({ params }: MethodDoc) {
    this.#fields = params.map(createField);
    this.root = element('div', { class: 'fields' }, ...this.#fields.map(({ root }) => root));
    for (const [i, { schema, required }] of params.entries()) {
      if (required && listChoices(schema).includes('latest')) this.#fields[i]?.write('latest');
    }
    if (params.length === 0) this.root.append(element('p', { class: 'empty' }, 'No parameters.'));
  }

  /** Positional; an optional one before one that is given is `null`. @throws FieldProblem */
  read(): unknown[] {
    const values = this.#fields.map((field) => field.read());
    const last = values.findLastIndex((value) => value !== undefined);
    return values.slice(0, last + 1).map((value) => value ?? null);
  }

  /** @returns false when the form cannot show these values */
  write(params: readonly unknown[]): boolean {
    const isShown = this.#fields.map((field, i) => field.write(params[i]));
    return params.length <= this.#fields.length && isShown.every(Boolean);
  }
}

function createField(facts: FieldFacts): Field {
  const alternatives = listAlternatives(facts.schema);
  const [first] = alternatives;
  if (alternatives.length === 1 && first?.type === 'boolean') return new ChoiceField(facts);
  if (alternatives.length === 1 && first?.properties !== undefined)
    return new ObjectField(facts, createField);
  return new TextField(facts);
}
