import { element } from '../dom.ts';
import { ChoiceField } from './choice-field.ts';
import type { Field, FieldFacts } from './field.ts';
import { ObjectField } from './object-field.ts';
import { listAlternatives, type MethodDoc, type ParamDoc } from './open-rpc.ts';
import { createSchemaKind } from './schema-kind.ts';
import { TextField } from './text-field.ts';
import { listChoices } from './values.ts';

/** Form of a method's parameters, with fields built from their schemas. */
export class MethodForm {
  readonly root: HTMLElement;
  readonly #fields: readonly Field[];
  readonly #docs: readonly ParamDoc[];
  readonly #rare: HTMLDetailsElement;

  constructor({ params }: MethodDoc) {
    this.#docs = params;
    this.#fields = params.map(createField);
    const roots = (rare: boolean): HTMLElement[] =>
      this.#fields.flatMap(({ root }, i) => (isRare(params[i]) === rare ? [root] : []));
    const rare = roots(true);
    this.#rare = element(
      'details',
      {},
      element('summary', {}, rare.length === 1 ? 'one more parameter' : `${rare.length} more parameters`),
      ...rare,
    );
    this.#rare.hidden = rare.length === 0;
    this.root = element('div', { class: 'fields' }, ...roots(false), this.#rare);
    for (const [i, { schema, required }] of params.entries()) {
      if (required && listChoices(schema).includes('latest')) this.#fields[i]?.write('latest');
    }
    if (params.length === 0) this.root.append(element('p', { class: 'empty' }, 'No parameters.'));
  }

  /**
   * Returns positional parameters. An omitted optional parameter before a present parameter is `null`.
   * @throws FieldProblem
   */
  read(): unknown[] {
    const values = this.#fields.map((field) => field.read());
    const last = values.findLastIndex((value) => value !== undefined);
    return values.slice(0, last + 1).map((value) => value ?? null);
  }

  /** The field of a call's data, if the method has a call object. */
  get calldata(): TextField | undefined {
    return this.#findCallField('data') ?? this.#findCallField('input');
  }

  /** The field of a call's recipient. */
  get recipient(): TextField | undefined {
    return this.#findCallField('to');
  }

  #findCallField(name: string): TextField | undefined {
    for (const field of this.#fields) {
      if (!(field instanceof ObjectField) || field.find('to') === undefined) continue;
      const found = field.find(name);
      if (found instanceof TextField) return found;
    }
    return undefined;
  }

  /** @returns false when the form cannot show these values */
  write(params: readonly unknown[]): boolean {
    const isShown = this.#fields.map((field, i) => field.write(params[i]));
    this.#rare.open = this.#docs.some(
      (doc, i) => isRare(doc) && params[i] !== undefined && params[i] !== null,
    );
    return params.length <= this.#fields.length && isShown.every(Boolean);
  }
}

/** Whether a parameter is an optional object. The form collapses optional objects, because few calls set them. */
function isRare(doc: ParamDoc | undefined): boolean {
  return (
    doc !== undefined && !doc.required && listAlternatives(doc.schema).every(({ type }) => type === 'object')
  );
}

function createField(facts: FieldFacts): Field {
  const alternatives = listAlternatives(facts.schema);
  const [first] = alternatives;
  if (alternatives.length === 1 && first?.type === 'boolean') return new ChoiceField(facts);
  if (alternatives.length === 1 && first?.properties !== undefined)
    return new ObjectField(facts, createField);
  const { name, required, description, schema } = facts;
  return new TextField({
    name,
    required,
    hint: required ? '' : 'optional',
    kind: createSchemaKind(schema, required, description),
  });
}
