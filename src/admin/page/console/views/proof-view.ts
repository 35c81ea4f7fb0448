import { countOf } from '../../../../util/count-of.ts';
import { describeFields, type FieldRow } from '../describe-value.ts';
import { formatHexCell, formatQuantityCell, readHexNumber } from './cells.ts';
import { type AnswerObject, listObjects, type ViewContext } from './context.ts';
import { createDecodedList, createHeadline, createPartTitle } from './decoded-list.ts';
import { createRows } from './rows.ts';

/** Hash of empty code. */
const EMPTY_CODE = '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470';

/** Displays the result of `eth_getProof`: the account, its slots, and the nodes of their tries. */
export function createProofView(result: unknown, { schema }: ViewContext): Node[] {
  const { accountProof, storageProof, ...account } = result as AnswerObject;
  const slots = listObjects(storageProof);
  const isEmpty = readHexNumber(account['balance']) === 0n && readHexNumber(account['nonce']) === 0n;
  const hasCode = account['codeHash'] !== EMPTY_CODE && readHexNumber(account['codeHash']) !== 0n;
  const kind = hasCode
    ? 'contract'
    : isEmpty
      ? 'account without balance, nonce and code'
      : 'account without code';
  const nodes = listNodes(accountProof);
  return [
    ...createHeadline(
      `Proof of ${kind === 'contract' ? 'a' : 'an'} ${kind}`,
      `${countOf(nodes.length, 'trie node')} for the account, ${countOf(slots.length, 'slot')}`,
    ),
    createDecodedList(describeFields(account, schema)),
    ...(slots.length === 0 ? [] : [createPartTitle('Storage slots'), createSlotRows(slots)]),
    createPartTitle('Trie nodes of the account'),
    createDecodedList(nodes),
  ];
}

function createSlotRows(slots: readonly AnswerObject[]): HTMLElement {
  return createRows<AnswerObject>({
    caption: 'Storage slots',
    items: slots,
    columns: [
      { label: 'Slot', kind: 'code', cell: ({ key }) => formatHexCell(key) },
      { label: 'Value', kind: 'number', cell: ({ value }) => formatQuantityCell(value) },
      { label: 'Trie nodes', kind: 'number', cell: ({ proof }) => String(listNodes(proof).length) },
    ],
    open: ({ key, value, proof }) => [
      createDecodedList([
        { name: 'slot', text: String(key) },
        { name: 'value', text: String(value) },
        ...listNodes(proof),
      ]),
    ],
  });
}

/** Describes the nodes of a proof, from the root on. */
function listNodes(proof: unknown): readonly FieldRow[] {
  if (!Array.isArray(proof)) return [];
  return proof.map((node, i) => {
    const text = String(node);
    return {
      name: i === 0 ? 'root' : `node ${i}`,
      text: `${countOf((text.length - 2) / 2, 'byte')}`,
      full: text,
    };
  });
}
