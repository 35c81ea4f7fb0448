import { type AgreementOptions, countVoices } from '../../chains/upstream/agreement/options.ts';
import {
  agreeOnChain,
  type ChainIdentity,
  type Claimant,
  countGenesisClaims,
  isSameChain,
  tallyChainIds,
} from '../../pool/chain-claims.ts';
import { findOperator } from '../../pool/endpoint.ts';
import type { PoolOptions, UpstreamOptions } from '../../pool/options.ts';
import { readConfigured } from '../../pool/start-up.ts';
import type { Examination } from './examination.ts';
import { type ExaminationWants, examineUpstream } from './examine-upstream.ts';
import { listNames } from './list-names.ts';
import { findDisagreement, listNetworkFindings } from './network-findings.ts';
import type {
  ExaminationReport,
  NodeReport,
  NodeStanding,
  ReportFinding,
  Severity,
} from './network-report.ts';
import { listNodeFindings } from './node-findings.ts';
import { listOperatorFindings } from './operator-findings.ts';

/**
 * Reports whether enough operators have a usable node to satisfy `agreement`. The required number is computed from the operators of all configured
 * nodes, usable or not.
 * @param operators operator of each node, in the order of `nodes`
 */
function listAgreementFindings(
  nodes: readonly NodeReport[],
  operators: readonly string[],
  agreement: AgreementOptions | undefined,
): readonly ReportFinding[] {
  if (agreement === undefined) return [];
  const configured = new Set(operators);
  const there = new Set(operators.filter((_, i) => nodes[i]?.standing === 'usable'));
  const needed = countVoices(agreement, configured.size);
  const problem = `agreement needs the same answer from ${needed} of the ${configured.size} configured operators, and nodes of ${there.size} are available`;
  if (there.size >= needed) {
    const spare = there.size - needed;
    const advice =
      spare === 0
        ? 'each of them must answer: while one does not, new blocks are not accepted'
        : `${spare} of them may be unavailable`;
    return [{ severity: 'note', problem, advice }];
  }
  const silent = listNames([...configured].filter((operator) => !there.has(operator)));
  const advice = `new blocks are not accepted until nodes of ${silent} answer: verify: require refuses answers that depend on the head, auto labels them single`;
  return [{ severity: 'error', problem, advice }];
}

/** Examines all nodes of a network concurrently, and reports problems. Never rejects. */
export async function examineNetwork(
  upstreams: readonly UpstreamOptions[],
  pool: PoolOptions,
  wants: ExaminationWants & { readonly agreement?: AgreementOptions },
): Promise<ExaminationReport> {
  const examined = upstreams.map((row, position) => examineUpstream(row, position, pool, wants));
  const examinations = await Promise.all(examined);
  const report = reportNetwork(examinations, pool, upstreams.map(findOperator), wants.agreement);
  const findings = [...report.findings, ...listOperatorFindings(upstreams, report.nodes)];
  return { ...report, findings: sortFindings(findings) };
}

/**
 * Compares the nodes with each other and with the configuration.
 * @param operators operator of each node, in the order of `examinations`; by default, each node has its own operator
 */
export function reportNetwork(
  examinations: readonly Examination[],
  pool: PoolOptions,
  operators: readonly string[] = examinations.map((_, i) => `${i}`),
  agreement?: AgreementOptions,
): ExaminationReport {
  const claims = examinations.map((examination, i) => ({
    identity: examination.answers ? examination.identity : undefined,
    operator: operators[i] as string,
    isAwaited: false,
  }));
  const identity = findChain(claims, pool);
  const standings = examinations.map((examination) => findStanding(examination, identity));
  const best = findBestHead(examinations.filter((_, i) => standings[i] === 'usable'));
  const nodes = examinations.map((examination, i): NodeReport => {
    const standing = standings[i] as NodeStanding;
    const isUsable = standing === 'usable' && examination.answers && examination.latest !== undefined;
    const lag = isUsable ? Number(best - (examination.latest?.number ?? best)) : undefined;
    return { examination, standing, lag };
  });
  const genesis = identity === undefined ? NO_CLAIMS : countGenesisClaims(claims, identity.chainId);
  const tally = { ...tallyChainIds(claims, readConfigured(pool)), genesis };
  const findings = [
    ...listNetworkFindings(nodes, pool, identity, tally),
    ...listAgreementFindings(nodes, operators, agreement),
    ...nodes.flatMap((node) => listNodeFindings(node, nodes, pool, identity)),
  ];
  return {
    identity,
    nodes,
    isServable: standings.includes('usable') && findDisagreement(pool, identity, tally).length === 0,
    findings: sortFindings(findings),
  };
}

const NO_CLAIMS = { hashes: [], majority: undefined } as const;

/** Returns the configured chain, or else the chain that most operators report; its genesis hash is undefined if no genesis block has a majority. */
function findChain(claims: readonly Claimant[], pool: PoolOptions): ChainIdentity | undefined {
  const identity = agreeOnChain(claims, readConfigured(pool))?.identity;
  if (identity === undefined || pool.genesisHash !== undefined) return identity;
  return { ...identity, genesisHash: countGenesisClaims(claims, identity.chainId).majority };
}

function findStanding(examination: Examination, identity: ChainIdentity | undefined): NodeStanding {
  if (!examination.answers) return 'silent';
  if (identity !== undefined && !isSameChain(examination.identity, identity)) return 'otherChain';
  const isOpen = identity !== undefined && identity.genesisHash === undefined;
  if (isOpen && examination.identity.genesisHash !== undefined) return 'disputed';
  return examination.latest === undefined ? 'headless' : 'usable';
}

function findBestHead(examinations: readonly Examination[]): bigint {
  let best = 0n;
  for (const examination of examinations) {
    const head = examination.answers ? examination.latest?.number : undefined;
    if (head !== undefined && head > best) best = head;
  }
  return best;
}

const SEVERITIES: readonly Severity[] = ['error', 'warning', 'note'];

function sortFindings(findings: readonly ReportFinding[]): readonly ReportFinding[] {
  return findings.toSorted((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity));
}
