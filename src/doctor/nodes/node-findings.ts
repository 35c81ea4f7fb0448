import type { ChainIdentity } from '../../pool/chain-claims.ts';
import type { FaultKind } from '../../pool/fault.ts';
import type { PoolOptions } from '../../pool/options.ts';
import { countOf } from '../../util/count-of.ts';
import { isBehind, isSyncing, isTooFarBehind, listByHead } from './compare-heads.ts';
import type { ExaminedNode, FeatureName, Support } from './examination.ts';
import type { NodeReport, ReportFinding, Severity } from './network-report.ts';

const SETTINGS = 'check the key in its URL, bearer, basic and headers';
const ADDRESS = 'check that its URL is that of a JSON-RPC node';

/** Returns the advice for a node without any answer. */
function adviseOnFault(kind: FaultKind): string {
  switch (kind) {
    case 'unreachable':
      return 'check that it runs and that its URL is right';
    case 'timeout':
      return 'check that it runs, and that nothing in between drops connections';
    case 'unauthorized':
      return SETTINGS;
    case 'rateLimited':
      return 'it is tried again later; get a larger plan for the node, or give it a higher tier here';
    case 'malformed':
    case 'httpStatus':
    case 'tooLarge':
    case 'unsupported':
      return ADDRESS;
    default:
      return 'check the log of the node';
  }
}

/** Batch size of the requests for single receipts, which the pool sends to nodes without `eth_getBlockReceipts`. */
const RECEIPT_BATCH = 100;
/** Default maximum number of calls in a batch that the pool sends. */
const JOINED_BATCH = 100;

/** Returns the findings about one node, including its lag behind the other nodes. */
export function listNodeFindings(
  { examination, standing, lag }: NodeReport,
  nodes: readonly NodeReport[],
  pool: PoolOptions,
  identity: ChainIdentity | undefined,
): readonly ReportFinding[] {
  const upstream = examination.name;
  const find = (severity: Severity, problem: string, advice: string): ReportFinding => {
    return { severity, upstream, problem, advice };
  };
  if (!examination.answers) {
    const { kind, reason } = examination.fault;
    return [find('error', reason, adviseOnFault(kind))];
  }
  if (standing === 'otherChain' && identity !== undefined) {
    const problem = describeOtherChain(examination, identity, pool);
    return [find('error', problem, 'it is quarantined and gets no requests; remove it or correct its URL')];
  }
  // A disputed node has no finding of its own: a finding about the network lists the genesis blocks.
  if (standing === 'disputed') return [];
  if (standing === 'headless') {
    return [find('error', 'it does not report its latest block', 'it gets no requests; check its log')];
  }
  const best = listByHead(nodes)[0]?.examination;
  const isLate = best !== undefined && isBehind(examination, best);
  const advice =
    best !== undefined && isTooFarBehind(examination, best, pool)
      ? 'it has no vote in the head, and is used last, and for older blocks only'
      : 'it is used for older blocks only';
  return [
    ...(isSyncing(examination, pool)
      ? [
          find(
            'warning',
            describeSync(examination),
            'it has no vote in the head, and is used last, until it has synced',
          ),
        ]
      : []),
    ...(isLate ? [find('warning', `${countOf(lag ?? 0, 'block')} behind ${best.name}`, advice)] : []),
    ...listFeatureFindings(examination).map(([severity, problem, advice]) => find(severity, problem, advice)),
  ];
}

function describeSync({ sync, latest }: ExaminedNode): string {
  const target = sync?.target === undefined ? '' : ` of ${sync.target}`;
  return `it is syncing: block ${latest?.number ?? 'unknown'}${target}`;
}

function describeOtherChain(
  { identity }: ExaminedNode,
  { chainId, genesisHash }: ChainIdentity,
  pool: PoolOptions,
): string {
  const others = (setting: unknown): string => (setting === undefined ? 'the others report' : 'pool expects');
  return identity.chainId === chainId
    ? `genesis block ${identity.genesisHash}, ${others(pool.genesisHash)} ${genesisHash}`
    : `chain id ${identity.chainId}, ${others(pool.chainId)} ${chainId}`;
}

type Row = readonly [Severity, problem: string, advice: string];

function listFeatureFindings(node: ExaminedNode): readonly Row[] {
  return [
    ...MISSING.flatMap(([feature, severity, problem, advice]): Row[] => {
      const support = node.features[feature];
      return support?.state === 'no' ? [[severity, withReason(problem, support), advice]] : [];
    }),
    ...checkEstimates(node),
    ...checkReads(node),
    ...checkReceipts(node),
    ...checkBatches(node),
    ...checkHashes(node),
    ...checkReverts(node),
    ...checkAnnouncements(node),
    ...checkEarliest(node),
    ...listUnclear(node),
  ];
}

const OTHERS_ANSWER = 'other nodes must answer it';
const MISSING: readonly (readonly [FeatureName, ...Row])[] = [
  ['eth_call', 'error', 'no eth_call', OTHERS_ANSWER],
  ['eth_estimateGas', 'error', 'no eth_estimateGas', 'estimates fail here: remove it'],
  [
    'stateOverrides',
    'error',
    'no state overrides in eth_call',
    'calls that need them may have wrong results; remove it, or raise its tier so that it is used last',
  ],
  [
    'eth_getTransactionByBlockNumberAndIndex',
    'warning',
    'no eth_getTransactionByBlockNumberAndIndex',
    OTHERS_ANSWER,
  ],
  ['eth_getUncleByBlockNumberAndIndex', 'warning', 'no eth_getUncleByBlockNumberAndIndex', OTHERS_ANSWER],
];

/** `eth_estimateGas` of l2geth has no block parameter, so the pool requests only estimates at the head from such nodes. */
function checkEstimates({ features }: ExaminedNode): readonly Row[] {
  const { eth_estimateGas: alone, estimateAtBlock } = features;
  if (alone?.state === 'no' || estimateAtBlock?.state !== 'no') return [];
  const problem = withReason('no eth_estimateGas with a block', estimateAtBlock);
  return [['warning', problem, 'it estimates at its head only; estimates at other blocks fail here']];
}

/** Reports the methods that this node lacks: one line for methods that are served by default, and one line for configured methods. */
function checkReads({ reads, also }: ExaminedNode): readonly Row[] {
  return [reads, also].flatMap((methods): Row[] => {
    const missing = Object.entries(methods).filter(([, { state }]) => state === 'no');
    const [first] = missing;
    if (first === undefined) return [];
    const names = missing.map(([name]) => name).join(', ');
    return [['warning', withReason(`no ${names}`, first[1]), OTHERS_ANSWER]];
  });
}

function checkReceipts({ features, batches }: ExaminedNode): readonly Row[] {
  const support = features.eth_getBlockReceipts;
  if (support?.state !== 'no') {
    if (features.receiptsByHash?.state !== 'no') return [];
    return [
      ['note', 'no eth_getBlockReceipts by hash', 'only blocks that left the chain are requested by hash'],
    ];
  }
  const problem = withReason('no eth_getBlockReceipts', support);
  if (batches.answered >= RECEIPT_BATCH) {
    return [['warning', problem, 'receipts are collected one by one: many calls for a large block']];
  }
  const limit = `it answers batches of ${batches.answered} at most, and receipts are collected in batches of`;
  return [['error', problem, `${limit} ${RECEIPT_BATCH}: larger blocks need another node`]];
}

/**
 * A low batch limit is only a note, because the pool measures the batch limit of each node itself. For a node without `eth_getBlockReceipts`,
 * `checkReceipts` reports the batch limit.
 */
function checkBatches({ features, batches }: ExaminedNode): readonly Row[] {
  if (batches.answered >= JOINED_BATCH || features.eth_getBlockReceipts?.state === 'no') return [];
  const items = Math.max(1, batches.answered);
  const problem = withReason(`it answers batches of ${batches.answered} at most`, batches);
  return [['note', problem, `batch: { items: ${items} } in its row avoids larger ones`]];
}

/** The pool derives the support of block hashes from the name of the client; a node behind a proxy may support less. */
function checkHashes({ identity, features }: ExaminedNode): readonly Row[] {
  const refused = [features.callAtHash, features.estimateAtHash].find((support) => support?.state === 'no');
  if (!identity.knowsHashParameters || refused === undefined) return [];
  const problem = withReason('refuses block hashes in calls (EIP-1898)', refused);
  return [['error', problem, 'clients of this name get calls by block hash, which will fail on this node']];
}

function checkReverts({ reverts }: ExaminedNode): readonly Row[] {
  switch (reverts) {
    case 'dataLost':
      return [['warning', 'reverts have no data', 'clients cannot decode why a call reverted']];
    case 'unrecognised':
      return [
        [
          'warning',
          'reverts cannot be distinguished from other failures',
          'such calls are sent to other nodes too',
        ],
      ];
    case 'translated':
      return [['note', 'reverts have a form of their own', 'clients get them in the form of geth']];
    default:
      return [];
  }
}

function checkAnnouncements({ announcements: { state, reason } }: ExaminedNode): readonly Row[] {
  if (state !== 'failing') return [];
  return [['warning', `it announces no heads (${reason})`, 'they are polled instead']];
}

function checkEarliest({ identity }: ExaminedNode): readonly Row[] {
  if (identity.genesisHash !== undefined) return [];
  return [
    ['note', 'it does not have the genesis block', 'its chain id alone distinguishes it from other chains'],
  ];
}

/** Reports in one line all features that could not be tested. */
function listUnclear({ features, reads, also, reverts }: ExaminedNode): readonly Row[] {
  const unclear = Object.entries({ ...features, ...reads, ...also }).filter(
    ([, support]) => support.state === 'unclear',
  );
  const names = [...unclear.map(([name]) => name), ...(reverts === 'unclear' ? ['reverts'] : [])];
  if (names.length === 0) return [];
  const reason = unclear[0]?.[1].reason;
  const because = reason === undefined ? '' : ` (${reason})`;
  return [['note', `could not be tested: ${names.join(', ')}${because}`, 'examine it again later']];
}

function withReason(problem: string, { reason }: Pick<Support, 'reason'>): string {
  return reason === undefined ? problem : `${problem} (${reason})`;
}
