/** Every place that parses text from outside, with the bound of the text: no text of a node is parsed without a bound. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../scripts/program-files.ts';
import { findBounds } from '../../src/pool/transport/answer-bounds.ts';
import { MAX_DEPTH } from '../../src/pool/transport/answer-shape.ts';
import { PROGRAM_SOURCES } from '../support/program-sources.ts';

/** Patterns of the code that is searched for, by their name in the table. */
const PATTERNS = {
  /** Parses text to values. */
  parse:
    /\bJSON\.parse\(|(?<!function\*? )\b(?:parseInSlices|parseJson|parseJsonText|parseText)\(|\bListText\.(?:load|parseBlock)\(/g,
  /** Decodes bytes to text. */
  decode:
    /\.toString\('(?:utf8|latin1)'|\b(?:body|buffer|bytes|chunk|payload|whole)\.toString\(\)|\.setEncoding\(|\bnew TextDecoder|\butf8Decoder\.decode\(/g,
  /** Fetches and parses by a library. */
  fetch: /\bcreate(?:Local|Remote)JWKSet\(|\.json\(\)|\.text\(\)/g,
} as const;

type Counts = { readonly [K in keyof typeof PATTERNS]?: number };

/** Sources of texts that are not responses of nodes, and their bounds. */
const BOUNDS = {
  client: '`limits.bodyBytes`, and slices where there are many members',
  own: 'written by the service itself, as long as it makes it',
  operator: 'a file or an argument that the operator chose',
  status: 'in a browser, from the service',
  bytes: 'no text of its own: the callers have rows',
  passed: 'a part of an answer, which the transport bounds, that becomes a text and no values',
} as const;

type Row = Counts &
  (
    | { readonly bound: keyof typeof BOUNDS }
    /** Methods whose responses are parsed, each with a row in `pool/transport/answer-bounds`. */
    | { readonly answers: readonly (string | readonly [method: string, params: string])[] }
    /** Name of the constant that bounds text of nodes outside of responses. */
    | { readonly within: string }
  );

const HEADER = ['eth_getBlockByNumber', '["latest",false]'] as const;
const BLOCK = ['eth_getBlockByNumber', '["latest",true]'] as const;
const RECEIPTS = 'eth_getBlockReceipts';
const LOGS = 'eth_getLogs';
const PROOF = 'eth_getProof';

const TABLE: Readonly<Record<string, Row>> = {
  'src/access/credentials.ts': { decode: 1, bound: 'client' },
  'src/access/keys/redis-key-table.ts': { parse: 1, bound: 'own' },
  'src/access/key-sets.ts': { parse: 2, decode: 1, fetch: 2, bound: 'operator' },
  'src/admin/access.ts': { decode: 1, bound: 'client' },
  'src/admin/page/console/abi/parse-interface.ts': { parse: 1, bound: 'status' },
  'src/admin/api/read-audit.ts': { parse: 1, bound: 'own' },
  'src/admin/page/console/indent-json.ts': { parse: 1, bound: 'status' },
  'src/admin/page/console/outcome.ts': { parse: 1, bound: 'status' },
  'src/admin/page/console/request-editor.ts': { parse: 1, bound: 'status' },
  'src/admin/page/console/request-link.ts': { parse: 1, bound: 'status' },
  'src/admin/page/console/revert.ts': { decode: 1, bound: 'status' },
  'src/admin/page/console/server.ts': { parse: 1, decode: 1, fetch: 2, bound: 'status' },
  'src/admin/page/console/values.ts': { parse: 3, bound: 'status' },
  'src/admin/page/console/watch-view.ts': { parse: 1, bound: 'status' },
  'src/admin/page/feed.ts': { parse: 1, fetch: 1, bound: 'status' },
  'src/admin/page/keys/key-api.ts': { fetch: 1, bound: 'status' },
  'src/admin/read-body.ts': { parse: 1, decode: 1, bound: 'client' },
  'src/admin/service-client.ts': { decode: 1, bound: 'own' },
  'src/bundle/request-block.ts': {
    parse: 2,
    decode: 1,
    answers: [HEADER, BLOCK, RECEIPTS, LOGS, PROOF, 'eth_getCode'],
  },
  'src/bundle/format.ts': { parse: 2, bound: 'operator' },
  'src/bundle/prove.ts': { parse: 1, answers: ['eth_config'] },
  'packages/evm/transition/genesis.ts': { parse: 1, bound: 'operator' },
  'src/observe/pretty-line.ts': { parse: 1, bound: 'own' },
  'src/service/builtin-facts.ts': { parse: 1, bound: 'own' },
  'src/service/import.ts': { parse: 1, decode: 1, bound: 'operator' },
  'src/cli/main.ts': { parse: 1, bound: 'own' },
  'src/cli/program-name.ts': { parse: 1, bound: 'own' },
  'src/cli/prove.ts': { parse: 1, bound: 'operator' },
  'src/mcp/gateway-client.ts': { parse: 1, decode: 1, within: 'MAX_ANSWER_BYTES' },
  'src/service/read-rules.ts': { decode: 1, bound: 'operator' },
  'src/cli/verify.ts': { decode: 1, bound: 'operator' },
  'src/service/version.ts': { parse: 1, bound: 'own' },
  'src/config/load-config.ts': { decode: 1, bound: 'operator' },
  'src/chains/embedded/reads/log-search.ts': { decode: 1, bound: 'own' },
  'src/feed/parse-header.ts': { parse: 1, answers: [HEADER] },
  'src/feed/removed-records.ts': { parse: 1, bound: 'own' },
  'src/embedding/provider.ts': { parse: 2, decode: 1, bound: 'own' },
  'src/gateway/collect-stream.ts': { decode: 1, bound: 'passed' },
  'src/methods/block-transactions.ts': { parse: 1, answers: [HEADER] },
  'src/methods/eth_getTransactionBySenderAndNonce.ts': { parse: 2, answers: [BLOCK] },
  'src/methods/filters/filter-criteria.ts': { parse: 1, bound: 'own' },
  'src/methods/filters/filter-record.ts': { parse: 1, bound: 'own' },
  'src/methods/plain-calls/plain-call.ts': { parse: 1, decode: 1, bound: 'client' },
  'src/methods/plain-calls/read-plain-calls.ts': { decode: 1, bound: 'client' },
  'src/methods/plain-calls/text-request.ts': { parse: 1, bound: 'client' },
  'src/methods/read-whole-text.ts': { decode: 1, bound: 'passed' },
  'packages/ethereum/primitives/byte-loops.ts': { decode: 1, bound: 'bytes' },
  'packages/ethereum/primitives/json-result.ts': { decode: 1, bound: 'bytes' },
  'packages/ethereum/primitives/parse-json.ts': { parse: 1, bound: 'bytes' },
  'packages/ethereum/primitives/parse-in-slices.ts': { parse: 1, bound: 'bytes' },
  'packages/ethereum/primitives/revert-reason.ts': { decode: 1, bound: 'bytes' },
  'packages/ethereum/primitives/utf8-text.ts': { decode: 2, bound: 'bytes' },
  'packages/ethereum/primitives/utf8.ts': { decode: 1, bound: 'bytes' },
  'src/chains/local-execution/remote/fetched-rules.ts': { parse: 1, answers: ['eth_config'] },
  'src/chains/local-execution/remote/call-outcome.ts': { parse: 2, answers: ['eth_call', 'eth_estimateGas'] },
  'src/rollup/answers.ts': {
    parse: 1,
    answers: ['eth_call', 'eth_chainId', 'optimism_syncStatus', 'rollup_gasPrices', 'zks_estimateFee'],
  },
  'src/rollup/request.ts': { parse: 1, answers: ['eth_gasPrice', 'eth_maxPriorityFeePerGas'] },
  'src/rollup/op-stack/read-anchor.ts': {
    parse: 3,
    answers: [HEADER, 'eth_getStorageValues', 'eth_getCode'],
  },
  'src/rpc/body-scan.ts': { parse: 1, decode: 2, bound: 'client' },
  'src/rpc/envelope.ts': { parse: 3, decode: 4, bound: 'client' },
  'src/rpc/raw-id.ts': { parse: 1, bound: 'client' },
  'src/server/fast-path-request.ts': { decode: 1, bound: 'client' },
  'src/chains/embedded/store/chain-reader.ts': { parse: 1, decode: 2, bound: 'own' },
  'src/chains/embedded/store/log-index.ts': { decode: 1, bound: 'own' },
  'src/chains/upstream/access-list-client.ts': { parse: 1, answers: ['eth_createAccessList'] },
  'src/server/tls-files.ts': { decode: 1, bound: 'operator' },
  'src/chains/upstream/agreement/name-answer.ts': {
    parse: 1,
    answers: ['eth_gasPrice', 'eth_feeHistory', 'eth_estimateGas', LOGS],
  },
  'src/pool/request-value.ts': {
    parse: 1,
    answers: ['eth_chainId', HEADER, 'eth_syncing', 'web3_clientVersion'],
  },
  'src/chains/upstream/block-directory.ts': { parse: 2, answers: [HEADER] },
  'src/chains/upstream/checks/check-block-access-list.ts': { parse: 1, answers: ['eth_getBlockAccessList'] },
  'src/chains/upstream/checks/check-logs.ts': { parse: 1, answers: [LOGS] },
  'src/chains/upstream/checks/check-simulations.ts': { parse: 1, answers: ['eth_simulateV1'] },
  'src/chains/upstream/checks/check-stream.ts': { decode: 1, bound: 'passed' },
  'src/chains/upstream/checks/parse-object.ts': {
    parse: 2,
    answers: ['eth_createAccessList', 'eth_feeHistory', PROOF, 'eth_getTransactionByHash'],
  },
  'src/chains/upstream/checks/read-block-logs.ts': { parse: 1, answers: [RECEIPTS] },
  'src/pool/errors/escaped-text.ts': { parse: 1, bound: 'passed' },
  'src/pool/errors/scrub-data.ts': { parse: 1, within: 'MAX_DATA_LENGTH' },
  'src/pool/errors/secrets.ts': { decode: 2, bound: 'operator' },
  'src/pool/errors/scrub-message.ts': { decode: 1, bound: 'passed' },
  'src/doctor/nodes/node-probe.ts': {
    parse: 1,
    answers: [HEADER, BLOCK, RECEIPTS, 'eth_call', 'eth_syncing', 'web3_clientVersion'],
  },
  'src/pool/heads/parse-block.ts': { parse: 1, answers: [HEADER] },
  'src/pool/join-pieces.ts': { decode: 2, bound: 'passed' },
  'src/chains/upstream/keep-unique.ts': { parse: 1, answers: [BLOCK, RECEIPTS] },
  'src/chains/upstream/local-executions.ts': { parse: 1, answers: [PROOF, 'eth_getCode'] },
  'src/pool/parse-text.ts': { parse: 2, bound: 'bytes' },
  'src/pool/pending/polled-pending.ts': { parse: 1, answers: ['eth_getFilterChanges'] },
  'src/chains/upstream/sending/own-writes.ts': { parse: 1, answers: ['eth_getTransactionCount'] },
  'src/chains/upstream/sending/sending-rules.ts': { parse: 1, answers: [HEADER] },
  'src/chains/upstream/sending/private-hashes.ts': { parse: 1, answers: ['eth_getTransactionCount'] },
  'src/chains/upstream/sending/sent-keeper.ts': { parse: 1, answers: ['eth_getTransactionCount'] },
  'src/chains/upstream/sending/sent-records.ts': { parse: 5, bound: 'own' },
  'src/chains/upstream/state-client.ts': { parse: 3, answers: ['eth_getCode'] },
  'src/chains/upstream/state-proofs.ts': { parse: 1, answers: [PROOF] },
  'src/pool/transport/notification.ts': { parse: 1, decode: 1, within: 'NOTIFICATION' },
  'src/pool/transport/padded-quantities.ts': { decode: 1, within: 'NAME_ROOM' },
  'src/pool/transport/read-batch.ts': { decode: 1, bound: 'passed' },
  'src/pool/transport/read-reply.ts': { parse: 3, decode: 6, within: 'ERROR_SHAPE' },
  'src/pool/transport/reply-scanner.ts': { parse: 1, decode: 1, within: 'MAX_CAPTURED' },
  'src/pool/transport/subscription-watch.ts': { parse: 1, answers: ['eth_subscribe'] },
  'src/chains/upstream/verifying/ancestor-proofs.ts': { parse: 2, answers: [PROOF, HEADER] },
  'src/chains/upstream/verifying/calibrate-state.ts': { parse: 1, answers: [PROOF] },
  'src/chains/upstream/verifying/header-members.ts': { parse: 1, answers: [HEADER] },
  'src/chains/upstream/verifying/layer1-anchor.ts': { parse: 2, answers: [PROOF, HEADER] },
  'src/chains/upstream/verifying/log-proofs.ts': { parse: 2, answers: [LOGS, RECEIPTS] },
  'src/chains/upstream/verifying/proofs.ts': {
    parse: 9,
    answers: [BLOCK, RECEIPTS, PROOF, 'eth_getCode', 'eth_getUncleByBlockHashAndIndex', 'eth_getBalance'],
  },
  'src/chains/upstream/verifying/verified-blocks.ts': { parse: 2, answers: [BLOCK] },
  'src/chains/upstream/whole-blocks.ts': { parse: 1, answers: [BLOCK] },
  'src/chains/upstream/verifying/try-block.ts': { parse: 3, answers: [BLOCK, RECEIPTS, LOGS] },
  'packages/proofs/item-splitter.ts': { parse: 1, decode: 2, answers: [BLOCK, RECEIPTS] },
  'packages/proofs/list-text.ts': { parse: 7, decode: 1, answers: [BLOCK, RECEIPTS] },
  'packages/proofs/stream-block.ts': { parse: 2, answers: [BLOCK] },
  'packages/proofs/stream-receipts.ts': { parse: 1, answers: [RECEIPTS] },
};

const COMMENT = /^\s*(?:\*|\/\*|\/\/)/;

function countIn(text: string): Counts {
  const code = text
    .split('\n')
    .filter((line) => !COMMENT.test(line))
    .join('\n');
  const counts = Object.entries(PATTERNS).map(
    ([name, pattern]) => [name, [...code.matchAll(pattern)].length] as const,
  );
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

const FOUND: ReadonlyMap<string, Counts> = new Map(
  PROGRAM_SOURCES.map(({ name, text }) => [name, countIn(text)] as const).filter(
    ([, counts]) => Object.keys(counts).length > 0,
  ),
);

test('every source file that parses text has a row with the bound of the text', () => {
  for (const [name, counts] of FOUND) {
    const row = TABLE[name];
    assert.ok(
      row !== undefined,
      `${name} parses or decodes a text ${JSON.stringify(counts)}: say in the table of this test where the text comes from and what bounds it`,
    );
    const { parse, decode, fetch } = row;
    const expected = Object.entries({ parse, decode, fetch }).filter(([, count]) => count !== undefined);
    assert.deepEqual(
      counts,
      Object.fromEntries(expected),
      `${name} parses or decodes more or fewer texts than its row has: look at what bounds the new one, then correct the counts`,
    );
  }
});

test('every row refers to a file that parses text', () => {
  for (const name of Object.keys(TABLE))
    assert.ok(FOUND.has(name), `${name} parses nothing any more: remove its row`);
});

test('parsed answers have bounds set by their request: bytes or values, depth, digits', () => {
  for (const [name, row] of Object.entries(TABLE)) {
    if (!('answers' in row)) continue;
    for (const answer of row.answers) {
      const [method, params] = typeof answer === 'string' ? [answer, '[]'] : answer;
      const bounds = findBounds(method, params);
      const isCounted = Number.isFinite(bounds.values) && bounds.bytesPerValue > 1;
      assert.ok(
        isCounted && bounds.depth <= MAX_DEPTH && Number.isFinite(bounds.digits),
        `${name} parses answers to ${method}, which has no row in pool/transport/answer-bounds.ts: a method without a row is passed on, not parsed`,
      );
    }
  }
});

test('unsolicited texts of nodes are compared with their bound before they are parsed', () => {
  for (const [name, row] of Object.entries(TABLE)) {
    if (!('within' in row)) continue;
    const text = readFileSync(join(ROOT, name), 'utf8');
    assert.match(text, new RegExp(`\\b${row.within}\\b`), `${name} does not mention ${row.within}`);
  }
});

test('a key set is fetched within a size limit', () => {
  const read = (name: string): string => readFileSync(join(ROOT, 'src/access', name), 'utf8');
  assert.ok(
    !read('key-sets.ts').includes('createRemoteJWKSet(') &&
      read('fetch-key-set.ts').includes('bytes > MAX_BYTES'),
    'jose fetches a key set whole, however long it is: give createRemoteJWKSet a `customFetch` that counts bytes, or fetch it here',
  );
});
