import { createProse, element } from '../dom.ts';
import type { Field, FieldFacts } from './field.ts';

/** Members of a call object that most calls set. Other optional members are collapsed. */
const USUAL: ReadonlySet<string> = new Set(['from', 'to', 'data', 'value', 'gas']);

/** Field of an object with named members. An object without any value is omitted, unless it is required. */
export class ObjectField implements Field {
  readonly root: HTMLElement;
  readonly #required: boolean;
  readonly #fields: ReadonlyMap<string, Field>;
  readonly #more: HTMLDetailsElement;

  constructor(
    { name, required, description, schema }: FieldFacts,
    createField: (facts: FieldFacts) => Field,
  ) {
    const { properties = {}, required: needed = [] } = schema;
    this.#required = required;
    this.#fields = new Map(
      Object.entries(properties).map(([key, property]) => [
        key,
        createField({
          name: key,
          required: needed.includes(key),
          description: property.description ?? '',
          schema: property,
        }),
      ]),
    );
    const names = [...this.#fields.keys()];
    const hasUsual = names.some((key) => USUAL.has(key) || needed.includes(key));
    const isUsual = (key: string): boolean => !hasUsual || USUAL.has(key) || needed.includes(key);
    const roots = (keys: readonly string[]): HTMLElement[] =>
      keys.flatMap((key) => this.#fields.get(key)?.root ?? []);
    const rest = names.filter((key) => !isUsual(key));
    const usual = [...new Set([...USUAL, ...names])].filter((key) => names.includes(key) && isUsual(key));
    this.#more = element('details', {}, element('summary', {}, `${rest.length} more fields`), ...roots(rest));
    this.root = element('fieldset', {}, element('legend', {}, name, required ? '' : ' (optional)'));
    this.root.append(
      element('p', { class: 'help' }, ...createProse(description)),
      ...roots(usual),
      this.#more,
    );
    this.#more.hidden = rest.length === 0;
  }

  /** Returns the field of a member. */
  find(name: string): Field | undefined {
    return this.#fields.get(name);
  }

  read(): unknown {
    const entries = [...this.#fields].map(([key, field]) => [key, field.read()] as const);
    const provided = entries.filter(([, value]) => value !== undefined);
    return provided.length === 0 && !this.#required ? undefined : Object.fromEntries(provided);
  }

  write(value: unknown): boolean {
    const members = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
    const isShown = [...this.#fields].every(([key, field]) => field.write(members[key]));
    this.#more.open = Object.keys(members).some((key) => !USUAL.has(key) && this.#fields.has(key));
    return isShown && Object.keys(members).every((key) => this.#fields.has(key));
  }
}
