import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesToHex } from '../../../packages/ethereum/primitives/hex.ts';
import { decodeRlp, encodeRlp, type RlpItem } from '../../../packages/ethereum/primitives/rlp.ts';
import { RlpWriter } from '../../../packages/ethereum/primitives/rlp-writer.ts';
import { Findings, type Members } from '../../../packages/proofs/findings.ts';
import { writeHeader } from '../../../packages/proofs/hash-header.ts';
import {
  ETHEREUM_FORM,
  HEADER_FORMS,
  type HeaderField,
  type HeaderForm,
} from '../../../packages/proofs/header-forms.ts';
import { verifyHeader } from '../../../packages/proofs/verify-block.ts';
import { SKIP_REASON } from '../../support/vectors.ts';
import { readSamples } from './samples.ts';

/** Recorded blocks with headers of a known form. */
const samples = (readSamples() ?? []).filter(({ block }) => findForm(block) !== undefined);
const HASHED = new Set(
  HEADER_FORMS.flatMap(({ fields, outer = [] }) => [...fields, ...outer]).map(({ member }) => member),
);

function findForm(block: Members): HeaderForm | undefined {
  return verifyHeader(block, String(block['hash']), { findings: new Findings(), writer: new RlpWriter() })
    ?.form;
}

function readItems(block: Members, form: HeaderForm): readonly RlpItem[] {
  const writer = new RlpWriter();
  const mark = writer.mark;
  writeHeader(block, form, writer);
  return decodeRlp(writer.take(mark)) as readonly RlpItem[];
}

/** The member that hashes to an item read as this field; undefined where none does. */
function readAs(item: RlpItem, { as, unit }: HeaderField): string | undefined {
  if (!(item instanceof Uint8Array)) return undefined;
  const text = bytesToHex(item);
  if (as === 'bytes') return text;
  const value = text === '0x' ? 0n : BigInt(text);
  const isMilliseconds = unit === 'milliseconds';
  if (isMilliseconds && value % 1_000n > 0n) return undefined;
  return `0x${(isMilliseconds ? value / 1_000n : value).toString(16)}`;
}

/** The members that a node has to report for the items of a header to be hashed under the names of another form. */
function nameAs(block: Members, items: readonly RlpItem[], form: HeaderForm): Members {
  const named: Record<string, unknown> = Object.fromEntries(
    Object.entries(block).filter(([name]) => !HASHED.has(name)),
  );
  if (form.mark !== undefined) named[form.mark] = '0x1';
  for (const [index, field] of form.fields.entries()) {
    if (field.as === 'seal') {
      named[field.member] = items.slice(index).map((item) => bytesToHex(encodeRlp(item as Uint8Array)));
      break;
    }
    const item = items[index];
    const member = item === undefined ? undefined : readAs(item, field);
    if (member !== undefined) named[field.member] = member;
  }
  return named;
}

/** Whether two forms encode the same items under other names, and are therefore equivalent. */
function isSameEncoding(one: HeaderForm, other: HeaderForm): boolean {
  const kinds = ({ fields }: HeaderForm): string =>
    fields
      .map(({ as, length }) => `${as}${length ?? ''}`)
      .join()
      .replace('seal', 'integer,bytes65');
  return one.name.startsWith('aura') && kinds(one) === kinds(other);
}

test('the items of a header are not verified under the names of another form', {
  skip: samples.length === 0 && SKIP_REASON,
}, () => {
  const forms = new Set<string>();
  let tried = 0;
  for (const { name, block } of samples) {
    const own = findForm(block) as HeaderForm;
    forms.add(own.name);
    if (own.outer !== undefined) continue;
    const items = readItems(block, own);
    for (const other of HEADER_FORMS) {
      if (other === own || other.outer !== undefined || isSameEncoding(own, other)) continue;
      const found = findForm(nameAs(block, items, other));
      // Where the names are the same too, it is the header.
      assert.ok(found === undefined || found === own, `${name} (${own.name}) as ${other.name}`);
      tried++;
    }
  }
  assert.ok(forms.size >= 5 && tried > 100, `${forms.size} forms, ${tried} readings`);
});

test('a timestamp in seconds is refused in milliseconds, and vice versa, except 0', () => {
  const frontier = HEADER_FORMS.find(({ name }) => name === 'frontier') as HeaderForm;
  for (const { name, fields } of [frontier, ETHEREUM_FORM]) {
    const form = { name, fields: fields.filter(({ unit }) => unit !== undefined) };
    const write = (timestamp: bigint): void =>
      writeHeader({ timestamp: `0x${timestamp.toString(16)}` }, form, new RlpWriter());
    const now = 1_700_000_000n;
    write(0n);
    write(now);
    // Quorum's raft counts nanoseconds.
    if (name === 'ethereum') write(now * 1_000_000_000n);
    const wrong = name === 'frontier' ? now / 1_000n : now * 1_000n;
    assert.throws(() => write(wrong), /timestamp cannot be read/);
  }
});

test('members that a form does not hash are not treated as verified', {
  skip: samples.length === 0 && SKIP_REASON,
}, () => {
  const find = (block: Members) => {
    const findings = new Findings();
    const header = verifyHeader(block, String(block['hash']), { findings, writer: new RlpWriter() });
    return { header, subjects: findings.list.map(({ subject }) => subject) };
  };
  const counts = { baseFee: 0, seal: 0, context: 0 };
  for (const { block, name } of samples) {
    const { form } = find(block).header as { readonly form: HeaderForm };
    if (form.name === 'frontier') {
      assert.equal(find({ ...block, baseFeePerGas: '0x7' }).header?.baseFeePerGas, undefined, name);
      counts.baseFee++;
    }
    if (form.name.startsWith('aura')) {
      const changed = { ...block, mixHash: `0x${'7'.repeat(64)}` };
      assert.ok(find(changed).header === undefined || find(changed).subjects.includes('members'), name);
      counts.seal++;
    }
    const [later] = form.fields.filter(
      ({ member, isOptional }) => isOptional === true && block[member] == null,
    );
    if (later !== undefined) {
      const own = find({ ...block, [later.member]: '0x0' });
      assert.ok(own.header === undefined || own.subjects.includes('members'), `${name}: ${later.member}`);
    }
    for (const member of ['extDataGasUsed', 'minDelayExcess'])
      if (!form.fields.some((field) => field.member === member))
        assert.deepEqual(find({ ...block, [member]: '0x0' }).subjects, ['members'], `${name}: ${member}`);
    if (form.context === undefined) {
      assert.deepEqual(find({ ...block, consensusContext: {} }).subjects, ['members'], name);
      counts.context++;
    }
  }
  assert.ok(counts.baseFee > 0 && counts.seal > 0 && counts.context > 0, JSON.stringify(counts));
});
