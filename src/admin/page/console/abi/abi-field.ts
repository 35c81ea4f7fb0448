import { element } from '../../dom.ts';
import { ChoiceField } from '../choice-field.ts';
import type { Field } from '../field.ts';
import { TextField } from '../text-field.ts';
import { createAbiKind } from './abi-kind.ts';
import { type AbiParameter, formatType, readArrayType } from './contract-interface.ts';

/** Maximum number of elements of an array in the form. Calls with longer arrays are entered as calldata. */
const MAX_ELEMENTS = 100;

/** Creates the field of an argument by its type. @param name name that the field shows */
export function createAbiField(parameter: AbiParameter, name: string): Field {
  const { type, components } = parameter;
  const array = readArrayType(parameter);
  if (array !== undefined) return new ArrayField(name, formatType(parameter), array);
  if (components !== undefined) return new TupleField(name, components);
  if (type === 'bool') {
    return new ChoiceField({ name, required: true, description: '', schema: { type: 'boolean' } });
  }
  return new TextField({ name, required: true, hint: type, kind: createAbiKind(type) });
}

/** Returns the name of a parameter, or its position. */
export function nameParameter({ name = '' }: AbiParameter, position: number): string {
  return name === '' ? `#${position}` : name;
}

/** Fields of a tuple's members. */
class TupleField implements Field {
  readonly root: HTMLElement;
  readonly #fields: readonly Field[];

  constructor(name: string, components: readonly AbiParameter[]) {
    this.#fields = components.map((member, i) => createAbiField(member, nameParameter(member, i)));
    this.root = element('fieldset', {}, element('legend', {}, name), ...this.#fields.map(({ root }) => root));
  }

  read(): unknown {
    return this.#fields.map((field) => field.read());
  }

  write(value: unknown): boolean {
    const members = Array.isArray(value) ? (value as readonly unknown[]) : [];
    return this.#fields.map((field, i) => field.write(members[i])).every(Boolean);
  }
}

/** Fields of an array's elements, with buttons that add and remove one unless the length is fixed. */
class ArrayField implements Field {
  readonly root: HTMLElement;
  readonly #name: string;
  readonly #element: AbiParameter;
  readonly #length: number | undefined;
  readonly #list: HTMLElement = element('div');
  readonly #add: HTMLButtonElement;
  #fields: readonly Field[] = [];

  constructor(
    name: string,
    type: string,
    { element: one, length }: { readonly element: AbiParameter; readonly length: number | undefined },
  ) {
    this.#name = name;
    this.#element = one;
    this.#length = length;
    this.#add = element('button', { type: 'button', class: 'chip' }, `Add to ${name}`);
    this.#add.addEventListener('click', () => {
      const added = this.#create(this.#fields.length);
      this.#show([...this.#fields, added]);
      added.root.querySelector<HTMLElement>('input, textarea, select, button')?.focus();
    });
    const legend = element('legend', {}, name, element('span', { class: 'quiet' }, ` ${type}`));
    this.root = element('fieldset', {}, legend, this.#list);
    if (length === undefined) this.root.append(this.#add);
    this.#show(Array.from({ length: Math.min(length ?? 0, MAX_ELEMENTS) }, (_, i) => this.#create(i)));
  }

  read(): unknown {
    return this.#fields.map((field) => field.read());
  }

  write(value: unknown): boolean {
    const members = Array.isArray(value) ? (value as readonly unknown[]) : [];
    const count = this.#length ?? Math.min(members.length, MAX_ELEMENTS);
    const fields = Array.from({ length: Math.min(count, MAX_ELEMENTS) }, (_, i) => this.#create(i));
    const isShown = fields.map((field, i) => field.write(members[i])).every(Boolean);
    this.#show(fields);
    return isShown && members.length <= MAX_ELEMENTS;
  }

  #create(position: number): Field {
    return createAbiField(this.#element, `${this.#name}[${position}]`);
  }

  /** Displays these fields. The names contain positions, so a removal creates the later fields again. */
  #show(fields: readonly Field[]): void {
    this.#fields = fields;
    this.#add.disabled = fields.length >= MAX_ELEMENTS;
    this.#list.replaceChildren(
      ...fields.map((field, i) => {
        if (this.#length !== undefined) return field.root;
        const remove = element('button', { type: 'button', class: 'chip' }, `Remove ${this.#name}[${i}]`);
        remove.addEventListener('click', () => this.#remove(i));
        return element('div', { class: 'element' }, field.root, remove);
      }),
    );
  }

  #remove(position: number): void {
    const rest = this.#fields.filter((_, i) => i !== position);
    const values = rest.map((field) => {
      try {
        return field.read();
      } catch {
        return undefined;
      }
    });
    const fields = rest.map((_, i) => this.#create(i));
    for (const [i, field] of fields.entries()) field.write(values[i]);
    this.#show(fields);
    this.#add.focus();
  }
}
