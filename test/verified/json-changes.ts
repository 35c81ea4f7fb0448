/** Changes of any JSON value, one at a time. */

export type Path = readonly (string | number)[];

export type ChangeKind =
  | 'value'
  | 'null'
  | 'shorter'
  | 'missing'
  | 'extra'
  | 'order'
  | 'doubled'
  | "another block's"
  | "another chain's";

export type Change = {
  readonly kind: ChangeKind;
  readonly path: Path;
  /** A changed copy. */
  readonly apply: (root: unknown) => unknown;
};

/** Members that standard clients read: objects that lack one get it. */
const ADDED: Readonly<Record<string, unknown>> = {
  accessList: [{ address: `0x${'11'.repeat(20)}`, storageKeys: [] }],
  authorizationList: [],
  baseFeePerGas: '0x7',
  blobGasUsed: '0x20000',
  blobVersionedHashes: [`0x01${'11'.repeat(31)}`],
  contractAddress: `0x${'11'.repeat(20)}`,
  maxFeePerGas: '0x77359400',
  maxPriorityFeePerGas: '0x3b9aca00',
  parentBeaconBlockRoot: `0x${'11'.repeat(32)}`,
  requestsHash: `0x${'11'.repeat(32)}`,
  sourceHash: `0x${'11'.repeat(32)}`,
  withdrawals: [
    { index: '0x1', validatorIndex: '0x1', address: `0x${'11'.repeat(20)}`, amount: '0x3b9aca00' },
  ],
  withdrawalsRoot: `0x${'11'.repeat(32)}`,
};
/** Bytes of hex text that is data, and shorter by one. */
const MIN_DATA = 4;

/** Each leaf, item, member and pair of neighbours of a value, changed. */
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
  if (typeof value === 'string' && value.length >= 2 + 2 * MIN_DATA) {
    yield { kind: 'shorter', path, apply: (root) => changeAt(root, path, () => value.slice(0, -2)) };
  }
}

function* changesOfList(list: readonly unknown[], path: Path): Generator<Change> {
  const change = (kind: ChangeKind, index: number, next: readonly unknown[]): Change => ({
    kind,
    path: [...path, index],
    apply: (root) => changeAt(root, path, () => next),
  });
  for (const [index, item] of list.entries()) {
    yield change('missing', index, list.toSpliced(index, 1));
    yield change('doubled', index, list.toSpliced(index, 0, item));
    if (index > 0) yield change('order', index, list.toSpliced(index - 1, 2, item, list[index - 1]));
    yield* changesBelow(item, [...path, index]);
  }
}

function* changesOfObject(value: Readonly<Record<string, unknown>>, path: Path): Generator<Change> {
  for (const [name, item] of Object.entries(value)) {
    const { [name]: _, ...rest } = value;
    yield { kind: 'missing', path: [...path, name], apply: (root) => changeAt(root, path, () => rest) };
    yield* changesBelow(item, [...path, name]);
  }
  for (const [name, item] of Object.entries(ADDED)) {
    if (value[name] != null) continue;
    const added = { ...value, [name]: item };
    yield { kind: 'extra', path: [...path, name], apply: (root) => changeAt(root, path, () => added) };
  }
}

/** Another value of the same kind. */
function changeLeaf(value: unknown): unknown {
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return value + 1;
  if (value === null) return `0x${'0'.repeat(39)}1`;
  const text = String(value);
  if (text === '0x') return '0x01';
  return `${text.slice(0, -1)}${text.at(-1) === '1' ? '2' : '1'}`;
}

/** A copy in which what is at a path is another value. */
function changeAt(root: unknown, [key, ...rest]: Path, change: (value: unknown) => unknown): unknown {
  if (key === undefined) return change(root);
  if (Array.isArray(root)) return root.with(Number(key), changeAt(root[Number(key)], rest, change));
  const members = root as Readonly<Record<string, unknown>>;
  return { ...members, [key]: changeAt(members[key], rest, change) };
}

/** Paths at which two values differ; lists of different lengths differ as a whole. */
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
