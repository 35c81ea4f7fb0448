import type { Findings, Members } from './findings.ts';
import { HEADER_FORMS, type HeaderForm } from './header-forms.ts';
import { isMembers, isSameText } from './members.ts';
import { TRANSACTION_FORMS, type TransactionForm } from './transaction-forms.ts';

/** Members that no hash covers, that follow from what one covers, and that clients of all nodes give. */
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

/** Members that any transaction object may have, whether its type hashes them or not. */
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

/** Compares which members a transaction object has with those of its type: what another type hashes is covered by nothing here. */
export function compareTransactionMembers(
  transaction: Members,
  form: TransactionForm,
  hash: string,
  findings: Findings,
): void {
  requireMembers(transaction, OF_TRANSACTION, 'transaction', hash, findings);
  for (const name of listForeign(form)) {
    if (saysNothing(transaction[name], transaction['gasPrice'])) continue;
    findings.contradict('members', `a transaction has ${name}, which its type has not`, [hash, name]);
  }
  for (const [name, value] of Object.entries(form.fixed ?? {})) {
    const told = transaction[name];
    // Some clients give the caps of the fees only.
    if (told == null ? name === 'gasPrice' : isSameText(told, value)) continue;
    findings.contradict('members', `a transaction has another ${name} than all of its type`, [hash, name]);
  }
}

/** Members that forks brought to headers, each hashed by some chain. */
const OF_FORKS: readonly string[] = [
  ...new Set(
    HEADER_FORMS.flatMap(({ fields }) => fields.filter(({ isOptional }) => isOptional === true)).map(
      ({ member }) => member,
    ),
  ),
];

/** Headers of authorities have neither; some nodes give zeros. */
const OF_SEAL = [
  ['mixHash', `0x${'0'.repeat(64)}`],
  ['nonce', `0x${'0'.repeat(16)}`],
] as const;
/** Members that have hashed members. */
const OF_CONTEXT: readonly string[] = HEADER_FORMS.flatMap(({ context }) =>
  context === undefined ? [] : [context.member],
);

/** Compares which members of later forks a header has with those of its form: others are covered by nothing. */
export function compareHeaderMembers(block: Members, form: HeaderForm, findings: Findings): void {
  const hashed = [...form.fields, ...(form.outer ?? []), ...(form.context?.fields ?? [])];
  const known = new Set([...hashed.map(({ member }) => member), ...(form.unhashed ?? [])]);
  const refuse = (name: string): void =>
    findings.contradict('members', `a block has ${name}, which its header has not`, [block['hash'], name]);
  for (const name of OF_FORKS) if (block[name] != null && !known.has(name)) refuse(name);
  for (const [name, zero] of OF_SEAL)
    if (block[name] != null && !known.has(name) && block[name] !== zero) refuse(name);
  for (const name of OF_CONTEXT) {
    const isHashed = form.context?.member === name && isMembers(block[name]);
    if (block[name] != null && !isHashed) refuse(name);
  }
}

/** Of a block, not of its header alone. */
export function requireBlockMembers(block: Members, findings: Findings): void {
  requireMembers(block, OF_BLOCK, 'block', block['hash'], findings);
}

/** Of a transaction in a block. */
export function requirePlace(transaction: Members, findings: Findings): void {
  requireMembers(transaction, OF_PLACE, 'transaction', transaction['hash'], findings);
}

/** Of a receipt whose transaction is known. */
export function requireReceiptMembers(
  receipt: Members,
  { hash, to }: { readonly hash: string; readonly to: string | null },
  findings: Findings,
): void {
  requireMembers(receipt, OF_RECEIPT, 'receipt', hash, findings);
  requireMembers(receipt, [to === null ? 'contractAddress' : 'to'], 'receipt', hash, findings);
}

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

/** Some clients give members of all types: empty, zero, or the price as the cap of the fees. */
function saysNothing(value: unknown, gasPrice: unknown): boolean {
  if (value == null || value === false || value === '0x' || value === '0x0' || value === gasPrice)
    return true;
  return Array.isArray(value) && value.length === 0;
}
