/** Changes of any JSON value, one at a time. */

export type Path = readonly (string | number)[];

export type ChangeKind =
  | 'value'
  | 'null'
  | 'in a list'
  | 'shorter'
  | 'missing'
  | 'extra'
  | 'order'
  | 'doubled'
  | 'named twice'
  | "another block's"
  | "another chain's";

export type Change = {
  readonly kind: ChangeKind;
  readonly path: Path;
  /** Returns a changed copy. */
  readonly apply: (root: unknown) => unknown;
};

/** Prefix of a name that its object has twice, in the first place. JSON values have no duplicates, but texts may: `writeTwice` produces them. */
const FIRST_OF_TWO = 'first of two: ';

/** Converts the text of an answer with such names to the text that nodes send. */
export function writeTwice(text: string): string {
  return text.replaceAll(`"${FIRST_OF_TWO}`, '"');
}

const HASH = `0x${'11'.repeat(32)}`;
const ADDRESS = `0x${'11'.repeat(20)}`;
/** A member that no known chain has. */
const UNKNOWN = { notKnownHere: '0x1' };
/** Members added to objects that lack them; `mark` is a member that identifies the kind. */
const ADDED: readonly { readonly mark: string; readonly members: Readonly<Record<string, unknown>> }[] = [
  {
    mark: 'parentHash',
    members: {
      baseFeePerGas: '0x7',
      blobGasUsed: '0x20000',
      parentBeaconBlockRoot: HASH,
      requestsHash: HASH,
      withdrawals: [{ index: '0x1', validatorIndex: '0x1', address: ADDRESS, amount: '0x3b9aca00' }],
      withdrawalsRoot: HASH,
      ...UNKNOWN,
    },
  },
  {
    mark: 'input',
    members: {
      accessList: [{ address: ADDRESS, storageKeys: [] }],
      authorizationList: [
        { chainId: '0x1', address: ADDRESS, nonce: '0x0', yParity: '0x0', r: '0x1', s: '0x1' },
      ],
      blobVersionedHashes: [`0x01${'11'.repeat(31)}`],
      maxFeePerGas: '0x77359401',
      maxPriorityFeePerGas: '0x3b9aca01',
      sourceHash: HASH,
      ...UNKNOWN,
    },
  },
  { mark: 'cumulativeGasUsed', members: { blobGasUsed: '0x20000', contractAddress: ADDRESS, ...UNKNOWN } },
];
/** Minimum bytes of hex text that counts as data and is also shortened by one byte. */
const MIN_DATA = 4;

/** Yields changes of each leaf, item, member and pair of neighbours of a value. */
export function* listChanges(value: unknown): Generator<Change> {
  yield* changesBelow(value, []);
}

function* changesBelow(value: unknown, path: Path): Generator<Change> {
  if (Array.isArray(value)) yield* changesOfList(value, path);
  else if (typeof value === 'object' && value !== null) {
    yield* changesOfObject(value as Readonly<Record<string, unknown>>, path);
  } else yield* changesOfLeaf(value, path);
}

function* changesOfLeaf(value: unknown, path: Path): Generator<Change> {
  yield { kind: 'value', path, apply: (root) => changeAt(root, path, changeLeaf) };
  if (value !== null) yield { kind: 'null', path, apply: (root) => changeAt(root, path, () => null) };
  // As a string it equals its only item.
  yield { kind: 'in a list', path, apply: (root) => changeAt(root, path, () => [value]) };
  if (typeof value === 'string' && value.length >= 2 + 2 * MIN_DATA) {
    yield { kind: 'shorter', path, apply: (root) => changeAt(root, path, () => value.slice(0, -2)) };
  }
}

function* changesOfList(list: readonly unknown[], path: Path): Generator<Change> {
  const change = (
    kind: ChangeKind,
    index: number,
    edit: (items: readonly unknown[]) => readonly unknown[],
  ): Change => ({
    kind,
    path: [...path, index],
    apply: (root) => changeAt(root, path, (value) => edit(value as readonly unknown[])),
  });
  for (const [index, item] of list.entries()) {
    yield change('missing', index, (items) => items.toSpliced(index, 1));
    yield change('doubled', index, (items) => items.toSpliced(index, 0, item));
    if (index > 0) {
      yield change('order', index, (items) => items.toSpliced(index - 1, 2, item, items[index - 1]));
    }
    yield* changesBelow(item, [...path, index]);
  }
}

function* changesOfObject(value: Readonly<Record<string, unknown>>, path: Path): Generator<Change> {
  for (const [name, item] of Object.entries(value)) {
    const { [name]: _, ...rest } = value;
    yield { kind: 'missing', path: [...path, name], apply: (root) => changeAt(root, path, () => rest) };
    const twice = {
      [`${FIRST_OF_TWO}${name}`]: typeof item === 'object' ? null : changeLeaf(item),
      ...value,
    };
    yield { kind: 'named twice', path: [...path, name], apply: (root) => changeAt(root, path, () => twice) };
    yield* changesBelow(item, [...path, name]);
  }
  const { members } = ADDED.find(({ mark }) => mark in value) ?? { members: {} };
  for (const [name, item] of Object.entries(members)) {
    if (value[name] != null) continue;
    const added = { ...value, [name]: item };
    yield { kind: 'extra', path: [...path, name], apply: (root) => changeAt(root, path, () => added) };
  }
}

/** Yields one change of each group of similar ones: among items of a list with the same type one change of the first item and one of another. */
export function* listDistinctChanges(value: unknown): Generator<Change> {
  const seen = new Set<string>();
  for (const change of listChanges(value)) {
    const name = `${change.kind} ${generalize(value, change.path)}`;
    if (seen.has(name)) continue;
    seen.add(name);
    yield change;
  }
}

/** Path in which the type of an item, and whether it is the first one, replaces its position. */
function generalize(root: unknown, path: Path): string {
  let value = root;
  return path
    .map((key) => {
      const list = Array.isArray(value);
      value = (value as Readonly<Record<string | number, unknown>>)[key];
      const type = Object(value) as { readonly type?: unknown };
      return list ? `${type.type ?? Number(key) > 0}` : key;
    })
    .join('.');
}

/** Returns another value of the same kind. */
function changeLeaf(value: unknown): unknown {
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return value + 1;
  if (value === null) return `0x${'0'.repeat(39)}1`;
  const text = String(value);
  if (text === '0x') return '0x01';
  return `${text.slice(0, -1)}${text.at(-1) === '1' ? '2' : '1'}`;
}

/** Returns a copy with another value at a path. */
function changeAt(root: unknown, [key, ...rest]: Path, change: (value: unknown) => unknown): unknown {
  if (key === undefined) return change(root);
  if (Array.isArray(root)) return root.with(Number(key), changeAt(root[Number(key)], rest, change));
  const members = root as Readonly<Record<string, unknown>>;
  return { ...members, [key]: changeAt(members[key], rest, change) };
}

/** Lists the paths at which two values differ; lists of different lengths differ as a whole. */
export function listDifferences(have: unknown, want: unknown, path: Path = []): readonly Path[] {
  if (Object.is(have, want)) return [];
  if (!isComposite(have) || !isComposite(want) || Array.isArray(have) !== Array.isArray(want)) return [path];
  if (Array.isArray(have) && have.length !== (want as readonly unknown[]).length) return [path];
  const [left, right] = [have, want] as Readonly<Record<string, unknown>>[];
  const names = new Set([...Object.keys(left ?? {}), ...Object.keys(right ?? {})]);
  return [...names].flatMap((name) => listDifferences(left?.[name], right?.[name], [...path, name]));
}

function isComposite(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
