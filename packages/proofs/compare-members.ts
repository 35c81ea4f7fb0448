import type { Findings, Members } from './findings.ts';
import { HEADER_FORMS, type HeaderForm } from './header-forms.ts';
import { isMembers, isSameText } from './members.ts';
import { TRANSACTION_FORMS, type TransactionForm } from './transaction-forms.ts';

/** Unhashed members that follow from hashed members. Clients return these members in every object. */
const OF_TRANSACTION: readonly string[] = ['from'];
const OF_BLOCK: readonly string[] = ['uncles'];
const OF_PLACE: readonly string[] = ['blockHash', 'blockNumber', 'transactionIndex'];
const OF_RECEIPT: readonly string[] = [
  ...OF_PLACE,
  'transactionHash',
  'from',
  'gasUsed',
  'effectiveGasPrice',
];
const OF_LOG: readonly string[] = [...OF_PLACE, 'transactionHash', 'logIndex'];

/** Members that any transaction object may have, even if its type does not hash them. */
const COMMON: ReadonlySet<string> = new Set([
  'chainId',
  'from',
  'gas',
  'gasPrice',
  'input',
  'data',
  'nonce',
  'r',
  's',
  'to',
  'v',
  'value',
  'yParity',
]);
const SIGNATURE: readonly string[] = ['r', 's', 'v', 'yParity'];
const MEMBERS_OF_FORMS: ReadonlySet<string> = new Set(TRANSACTION_FORMS.flatMap(listMembers));
const foreign = new Map<TransactionForm, readonly string[]>();

function listMembers({ fields }: TransactionForm): readonly string[] {
  return fields.flatMap(({ members }) => members);
}

/** Rejects transaction members of other types, since the hash of this type does not cover them. */
export function compareTransactionMembers(
  transaction: Members,
  form: TransactionForm,
  hash: string,
  findings: Findings,
): void {
  requireMembers(transaction, OF_TRANSACTION, 'transaction', hash, findings);
  for (const name of listForeign(form)) {
    if (saysNothing(transaction[name], transaction['gasPrice'])) continue;
    findings.contradict('members', `a transaction has ${name}, which its type does not have`, [hash, name]);
  }
  for (const [name, value] of Object.entries(form.fixed ?? {})) {
    const told = transaction[name];
    // Some clients return only the fee caps.
    if (told == null ? name === 'gasPrice' : isSameText(told, value)) continue;
    findings.contradict('members', `the ${name} of a transaction is not the one that its type requires`, [
      hash,
      name,
    ]);
  }
}

/** Header members that a fork added. At least one chain hashes each of them. */
const OF_FORKS: readonly string[] = [
  ...new Set(
    HEADER_FORMS.flatMap(({ fields }) => fields.filter(({ isOptional }) => isOptional === true)).map(
      ({ member }) => member,
    ),
  ),
];

/** Members that Aura (proof-of-authority) headers do not have, and the zeros that some nodes return for them. */
const OF_SEAL = [
  ['mixHash', `0x${'0'.repeat(64)}`],
  ['nonce', `0x${'0'.repeat(16)}`],
] as const;
/** Members of a block object whose value is an object that contains hashed members. */
const OF_CONTEXT: readonly string[] = HEADER_FORMS.flatMap(({ context }) =>
  context === undefined ? [] : [context.member],
);

/** Rejects header members that the block's form does not hash. */
export function compareHeaderMembers(block: Members, form: HeaderForm, findings: Findings): void {
  const hashed = [...form.fields, ...(form.outer ?? []), ...(form.context?.fields ?? [])];
  const known = new Set([...hashed.map(({ member }) => member), ...(form.unhashed ?? [])]);
  const refuse = (name: string): void =>
    findings.contradict('members', `a block has ${name}, which its header does not have`, [
      block['hash'],
      name,
    ]);
  for (const name of OF_FORKS) if (block[name] != null && !known.has(name)) refuse(name);
  for (const [name, zero] of OF_SEAL)
    if (block[name] != null && !known.has(name) && block[name] !== zero) refuse(name);
  for (const name of OF_CONTEXT) {
    const isHashed = form.context?.member === name && isMembers(block[name]);
    if (block[name] != null && !isHashed) refuse(name);
  }
}

/** Requires the unhashed members of a full block object. */
export function requireBlockMembers(block: Members, findings: Findings): void {
  requireMembers(block, OF_BLOCK, 'block', block['hash'], findings);
}

/** Requires the members that place a transaction in a block. */
export function requirePlace(transaction: Members, findings: Findings): void {
  requireMembers(transaction, OF_PLACE, 'transaction', transaction['hash'], findings);
}

/** Adds a finding for each required unhashed member that a receipt lacks, such as `blockHash`. */
export function requireReceiptMembers(
  receipt: Members,
  { hash, to }: { readonly hash: string; readonly to: string | null },
  findings: Findings,
): void {
  requireMembers(receipt, OF_RECEIPT, 'receipt', hash, findings);
  requireMembers(receipt, [to === null ? 'contractAddress' : 'to'], 'receipt', hash, findings);
}

/** Requires the unhashed members of a log. @param hash hash of the log's transaction */
export function requireLogMembers(log: Members, hash: string, findings: Findings): void {
  requireMembers(log, OF_LOG, 'log', hash, findings);
}

function requireMembers(
  object: Members,
  names: readonly string[],
  what: string,
  hash: unknown,
  findings: Findings,
): void {
  for (const name of names)
    if (object[name] == null) findings.contradict('members', `a ${what} lacks ${name}`, [hash, name]);
}

function listForeign(form: TransactionForm): readonly string[] {
  const known = foreign.get(form);
  if (known !== undefined) return known;
  const own = new Set(listMembers(form));
  const signature = form.signed === undefined ? SIGNATURE : [];
  const others = [...MEMBERS_OF_FORMS].filter((name) => !own.has(name) && !COMMON.has(name));
  const names = [...others, ...signature];
  foreign.set(form, names);
  return names;
}

/**
 * Whether a member that belongs to another transaction type is empty, zero, or repeats the gas price as a fee cap. Some clients return the members of
 * all types in every transaction.
 */
function saysNothing(value: unknown, gasPrice: unknown): boolean {
  if (value == null || value === false || value === '0x' || value === '0x0' || value === gasPrice)
    return true;
  return Array.isArray(value) && value.length === 0;
}
