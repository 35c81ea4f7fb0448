import * as Hash from 'ox/Hash';
import * as Hex from 'ox/Hex';

/** Parameter of a function, an event or an error, as in ABI JSON. */
export type AbiParameter = {
  readonly name?: string;
  readonly type: string;
  readonly components?: readonly AbiParameter[];
  readonly indexed?: boolean;
};

/** Function, event or error of a contract. */
export type AbiItem = {
  readonly type: 'function' | 'event' | 'error';
  readonly name: string;
  readonly inputs: readonly AbiParameter[];
  readonly outputs?: readonly AbiParameter[];
  readonly stateMutability?: string;
  readonly anonymous?: boolean;
};

/** ABI item with the values that identify it in data. */
export type KnownItem = AbiItem & {
  /** Name and types: `balanceOf(address)`. */
  readonly signature: string;
  /** First four bytes of the signature's hash; all 32 bytes for events. */
  readonly selector: string;
};

/** Functions, events and errors of contracts. */
export type ContractInterface = {
  readonly functions: readonly KnownItem[];
  readonly events: readonly KnownItem[];
  readonly errors: readonly KnownItem[];
};

/** Groups ABI items by their kind. */
export function createInterface(items: readonly AbiItem[]): ContractInterface {
  const known = items.map(identify);
  const pick = (type: AbiItem['type']): readonly KnownItem[] => known.filter((item) => item.type === type);
  return { functions: pick('function'), events: pick('event'), errors: pick('error') };
}

function identify(item: AbiItem): KnownItem {
  const signature = `${item.name}(${item.inputs.map(formatType).join(',')})`;
  const hash = Hash.keccak256(Hex.fromString(signature));
  return { ...item, signature, selector: item.type === 'event' ? hash : hash.slice(0, 10) };
}

/** Formats a type as in a signature; tuples as the types of their members. */
export function formatType({ type, components = [] }: AbiParameter): string {
  if (!type.startsWith('tuple')) return type;
  return `(${components.map(formatType).join(',')})${type.slice('tuple'.length)}`;
}

/** Returns the type of an array's elements and its length, which is undefined for dynamic arrays; undefined for other types. */
export function readArrayType(
  parameter: AbiParameter,
): { readonly element: AbiParameter; readonly length: number | undefined } | undefined {
  const { type } = parameter;
  if (!type.endsWith(']')) return undefined;
  const start = type.lastIndexOf('[');
  const digits = type.slice(start + 1, -1);
  const { components } = parameter;
  return {
    element: { type: type.slice(0, start), ...(components !== undefined && { components }) },
    length: digits === '' ? undefined : Number(digits),
  };
}
