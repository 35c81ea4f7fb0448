/** The key and password of a node's URL are in no response, log line, metric or status, whatever the node sends. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderMetrics } from '../../src/observe/metrics/render-metrics.ts';
import { FaultUpstream } from '../support/fault-upstream.ts';
import { sendToNode } from '../support/faults/ask-node.ts';
import type { Answer, AskNode, Fault } from '../support/faults/fault.ts';
import { encodeFrame, FIN } from '../support/faults/frames.ts';
import { startNode } from '../support/served-node.ts';
import { startService } from '../support/service.ts';

const KEY = 'k3y-0f-the-operator';
const PASSWORD = 'hunter2hunter2';
const ACCOUNT = Buffer.from(`bob:${PASSWORD}`).toString('base64');
const CLOSE = 0x8;
const SAID = `wss://bob:${PASSWORD}@node.example/v2/${KEY} ${ACCOUNT}`;
const HIDDEN = [KEY, PASSWORD, ACCOUNT, encodeURIComponent(ACCOUNT)];
const METHODS = [
  'eth_call',
  'eth_getBalance',
  'eth_getLogs',
  'eth_sendRawTransaction',
  'eth_createAccessList',
];
const PASSED = ['debug_traceCall', 'trace_block'];

const failing = (code: number, message: string, data?: unknown): Fault => ({
  answer: async (): Promise<Answer> => ({
    error: { code, message, ...(data !== undefined && { data }) },
  }),
});

const NESTED = {
  error: { code: 1, message: SAID, data: JSON.stringify({ [SAID]: [encodeURIComponent(SAID)] }) },
};
const CASES: Readonly<Record<string, Fault>> = {
  'an unknown error': failing(-39_999, `no quota at ${SAID}`, NESTED),
  'invalid params': failing(-32_602, `invalid: ${SAID}`, NESTED),
  'an internal error': failing(-32_603, SAID, [SAID]),
  'a revert in words': failing(3, `execution reverted: ${SAID}`),
  'a refused key': failing(-32_001, `unauthorized: ${SAID}`, SAID),
  'a rate': failing(429, `rate limit exceeded for ${SAID}`, { see: SAID }),
  'a missing block': failing(-32_000, `header not found at ${SAID}`),
  'words in place of a code': {
    response: (response) => ({ ...response, result: undefined, error: { code: SAID, message: SAID } }),
  },
  'a body that is no JSON': { text: () => `<html>${SAID}</html>` },
  'a list with an error': {
    concerns: ({ method }) => method === 'eth_createAccessList',
    answer: async () => ({ result: { accessList: [], gasUsed: '0x1', error: `failed at ${SAID}` } }),
  },
  ...Object.fromEntries(
    [400, 401, 403, 429, 500, 502, 503].map((status): [string, Fault] => [
      `status ${status} with a body`,
      {
        delivery: {
          kind: 'status',
          status,
          headers: { 'x-error': SAID, 'retry-after': KEY, 'www-authenticate': `Basic realm="${KEY}"` },
          body: JSON.stringify({
            jsonrpc: '2.0',
            id: 1,
            error: { code: -32_000, message: SAID, data: NESTED },
          }),
        },
      },
    ]),
  ),
  'a close with a reason, or a status line with one': {
    delivery: {
      kind: 'own',
      pour({ socket, webSocket }) {
        const reason = Buffer.from(SAID);
        const code = Buffer.from([1_008 >> 8, 1_008 & 0xff]);
        if (webSocket === undefined)
          socket.end(`HTTP/1.1 500 ${SAID}\r\ncontent-length: ${reason.length}\r\n\r\n${SAID}`);
        else socket.end(encodeFrame(FIN | CLOSE, Buffer.concat([code, reason])));
      },
    },
  },
};

for (const kind of ['httpUrl', 'webSocketUrl'] as const)
  test(`the key and password of a node do not leak through its texts: ${kind}`, async (t) => {
    const node = await startNode(t);
    const ask: AskNode = ({ method, params }) =>
      method === 'web3_clientVersion'
        ? Promise.resolve({ result: `Geth/v1.17.8 at ${SAID}` })
        : sendToNode(node.url, { method, params });
    const networks: Record<string, unknown> = {};
    const askedOf = ({ delivery, text }: Fault): readonly string[] =>
      delivery === undefined && text === undefined
        ? [...METHODS, ...PASSED]
        : ['eth_call', 'debug_traceCall'];
    // Each case has its own network, so that the effects of one on its node change no other.
    for (const [at, fault] of Object.values(CASES).entries()) {
      const door = await FaultUpstream.start(ask);
      t.after(() => door.close());
      await door.setFault({ concerns: ({ method }) => askedOf(fault).includes(method), ...fault });
      networks[`n${at}`] = {
        hosts: [`n${at}.localhost`],
        upstreams: [
          { url: new URL(`/v2/${KEY}`, door[kind]).href, basic: { user: 'bob', password: PASSWORD } },
        ],
        verify: 'off',
        methods: { also: ['debug_*', 'trace_*'] },
      };
    }
    const service = await startService({ networks }, 'debug');
    t.after(() => service.close());
    const answered = await Promise.all(
      Object.entries(CASES).map(async ([name, fault], at) => {
        const account = `0x${'1'.repeat(40)}`;
        const params: Readonly<Record<string, readonly unknown[]>> = {
          eth_getBalance: [account, 'latest'],
          eth_getLogs: [{ fromBlock: 'latest', toBlock: 'latest' }],
          eth_sendRawTransaction: [RAW],
        };
        const texts: string[] = [];
        for (const method of askedOf(fault)) {
          const response = await fetch(`http://${service.authority}/n${at}/v3/demo`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({
              jsonrpc: '2.0',
              id: 1,
              method,
              params: params[method] ?? [{ to: account }, 'latest'],
            }),
          });
          texts.push(`${name} ${method} ${JSON.stringify([...response.headers])} ${await response.text()}`);
        }
        return texts.join('\n');
      }),
    );
    const places = {
      answered: answered.join('\n'),
      lines: service.errors.join('\n'),
      metrics: await renderMetrics([await service.service.readMetrics()]),
      status: JSON.stringify(await service.service.readStatus()),
    };
    assert.match(places.answered, /no quota at \*\*\*/, 'no word of the node came');
    assert.match(
      places.answered,
      /"data":\{"error":\{"code":1,"message":"\*\*\*/,
      'no data of the node came',
    );
    assert.match(places.lines, /Geth\/v1\.17\.8 at \*\*\*/, 'the program of the node is not logged');
    for (const [place, content] of Object.entries(places))
      for (const hidden of HIDDEN)
        for (const line of content.split('\n'))
          assert.ok(!line.includes(hidden), `${place}: ${line.slice(0, 600)}`);
  });

/** Transaction of the example in EIP-155. */
const RAW =
  '0xf86c098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a76400008025a028ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276a067cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83';
