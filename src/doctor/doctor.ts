import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/load-config.ts';
import { isServed } from '../config/method-options.ts';
import type { NetworkOptions } from '../config/network-options.ts';
import type { VerificationFigures } from '../observe/sources.ts';
import { type Command, createCommand } from '../service/command.ts';
import { DATA_VARIABLES, FILE_VARIABLES, REQUIRED_CONFIG_OPTION } from '../service/common-help.ts';
import { formatTable } from '../service/format-table.ts';
import { UsageError } from '../service/usage.ts';
import { countOf } from '../util/count-of.ts';
import { pointToNames } from '../util/near-name.ts';
import { type AnchorDiagnosis, describeAnchor, tryAnchor } from './doctor-anchor.ts';
import { describeExecution, type ExecutionDiagnosis, tryExecution } from './doctor-execution.ts';
import { describeFamily, type FamilyDiagnosis, tryFamily } from './doctor-family.ts';
import { describeLayer1, type Layer1Diagnosis, tryLayer1 } from './doctor-layer1.ts';
import { addGaps, describeRollup, diagnoseRollup, type RollupDiagnosis } from './doctor-rollup.ts';
import { findSpent } from './doctor-spend.ts';
import { listTableRows } from './doctor-table.ts';
import { describeVerifiable, findVerifiable } from './doctor-verification.ts';
import { examineNetwork } from './nodes/examine-network.ts';
import type { ExaminationReport, ReportFinding } from './nodes/network-report.ts';

/** Diagnosis of one configured network. `report` is absent if the network has no nodes. */
type Diagnosis = {
  readonly name: string;
  readonly source: string;
  readonly rollup?: RollupDiagnosis;
  readonly report?: ExaminationReport;
  /** Recognised family of a rollup, and the features of its nodes that indicate the family. */
  readonly recognition?: FamilyDiagnosis;
  /** Whether answers can be verified, with one row per kind of answers, such as `state` or `effectiveGasPrice`. */
  readonly verification?: VerificationFigures['rows'];
  /** Result of the local execution of a call, if local execution is configured. */
  readonly execution?: ExecutionDiagnosis;
  /** Newest rollup block that layer 1 commits to, if the network is anchored. */
  readonly anchor?: AnchorDiagnosis;
  /** Layer 1 of a rollup, if one is configured. */
  readonly layer1?: Layer1Diagnosis;
};

/** `portcullis doctor` */
export const doctorCommand: Command = createCommand({
  name: 'doctor',
  about: `Examines what the nodes of a configuration file support.

    The report has what follows from it, too: chain, head and lag, latency, tags, methods, block hashes and state overrides in
    calls, the form of reverts, the largest batch, announcements of heads; the marks of the rollup family; which answers about
    blocks and state can be verified, whether calls can be executed here, and up to which block a rollup is anchored in its
    layer 1. The command only reads; each node gets about 1200 calls, most of them eth_chainId in four batches.`,
  options: {
    config: REQUIRED_CONFIG_OPTION,
    network: { value: 'NAME', about: 'only this network (default: all)' },
    json: { about: 'one JSON object instead of tables' },
  },
  environment: { ...DATA_VARIABLES, ...FILE_VARIABLES },
  examples: [
    'portcullis doctor --config portcullis.yaml',
    'portcullis doctor --config portcullis.yaml --network mainnet --json',
  ],
  exitCodes: {
    0: 'each network can be served, and each configured layer 1 answers',
    1: 'a network cannot be served (it has no available node, or too few nodes report its chain), or a layer 1 does not answer',
  },
  async run({ config: file, network, json }) {
    const config = await loadConfig(file, process.env);
    const diagnoses: Diagnosis[] = [];
    for (const [name, options] of chooseNetworks(config, network)) {
      const diagnosis = await diagnose(name, options, config);
      diagnoses.push(diagnosis);
      if (!json) process.stdout.write(`${diagnoses.length > 1 ? '\n' : ''}${describe(diagnosis)}`);
    }
    if (json) process.stdout.write(`${encodeDiagnoses(diagnoses)}\n`);
    const isFine = ({ report, layer1 }: Diagnosis): boolean =>
      (report?.isServable ?? true) && layer1?.reason === undefined;
    return diagnoses.every(isFine) ? 0 : 1;
  },
});

function chooseNetworks({ networks }: Config, name: string | undefined): [string, NetworkOptions][] {
  const all = Object.entries(networks);
  const chosen = name === undefined ? all : all.filter(([each]) => each === name);
  if (name !== undefined && chosen.length === 0)
    throw new UsageError(`there is no network ${name}${pointToNames(name, Object.keys(networks))}`);
  return chosen;
}

async function diagnose(name: string, options: NetworkOptions, config: Config): Promise<Diagnosis> {
  const { upstreams, pool, rollup, builtin, methods, agreement } = options;
  const about = rollup === undefined ? {} : { rollup: await diagnoseRollup(rollup) };
  if (upstreams === undefined) {
    const layer1 = await tryLayer1(name, config.networks, rollup?.family);
    const source = builtin === undefined ? 'embedded' : 'builtin';
    return { name, source, ...about, ...(layer1 !== undefined && { layer1 }) };
  }
  const prefix = about.rollup?.prefix;
  // Entries for a whole namespace, such as `debug_*`, are not tested, because the method names are unknown.
  const also = methods.also.filter((entry) => !entry.endsWith('*'));
  const wants = {
    also,
    isServed: (method: string) => isServed(methods, method),
    ...(prefix !== undefined && { rollupPrefix: prefix }),
    ...(agreement !== undefined && { agreement }),
  };
  const examined = await examineNetwork(upstreams, pool, wants);
  const report = { ...examined, findings: [...examined.findings, ...(await findSpent(config, name))] };
  const recognition = report.isServable ? await tryFamily(name, options) : undefined;
  const verification = report.isServable ? await findVerifiable(name, options) : undefined;
  const execution = report.isServable ? await tryExecution(name, options) : undefined;
  const anchor = report.isServable ? await tryAnchor(name, config.networks) : undefined;
  const family = rollup?.family ?? recognition?.recognised;
  const layer1 = await tryLayer1(name, config.networks, family);
  const described =
    rollup === undefined || about.rollup === undefined
      ? {}
      : { rollup: await addGaps(about.rollup, rollup, recognition?.recognised) };
  return {
    name,
    source: 'upstreams',
    ...described,
    report,
    ...(layer1 !== undefined && { layer1 }),
    ...(recognition !== undefined && { recognition }),
    ...(verification !== undefined && { verification }),
    ...(execution !== undefined && { execution }),
    ...(anchor !== undefined && { anchor }),
  };
}

function describe(diagnosis: Diagnosis): string {
  const { name, source, rollup, report, recognition, verification, execution, anchor, layer1 } = diagnosis;
  const about = rollup === undefined ? '' : describeRollup(rollup);
  const below = (chainId?: string): string => (layer1 === undefined ? '' : describeLayer1(layer1, chainId));
  if (report === undefined) return `${name}: ${source}, there are no nodes to examine\n${about}${below()}`;
  const { identity, nodes, isServable, findings } = report;
  const usable = nodes.filter(({ standing }) => standing === 'usable').length;
  const chain = identity === undefined ? '' : `chain ${identity.chainId}, `;
  const hindrance = findings.find(({ severity, upstream }) => severity === 'error' && upstream === undefined);
  const reason = usable === 0 || hindrance === undefined ? '' : `: ${hindrance.problem}`;
  const verdict = isServable ? '' : `: the network cannot be served${reason}`;
  const lines = findings.map((finding) => `  ${describeFinding(finding)}\n`);
  return [
    `${name}: ${chain}${usable} of ${countOf(nodes.length, 'node is', 'nodes are')} available${verdict}\n${about}\n`,
    formatTable(listTableRows(nodes)),
    lines.length > 0 ? '\n' : '',
    ...lines,
    recognition === undefined ? '' : describeFamily(recognition, rollup?.family),
    below(identity?.chainId.toString()),
    verification === undefined ? '' : describeVerifiable(verification),
    execution === undefined ? '' : describeExecution(execution),
    anchor === undefined ? '' : describeAnchor(anchor),
  ].join('');
}

const WIDEST_SEVERITY = 'warning'.length;

function describeFinding({ severity, upstream, problem, advice }: ReportFinding): string {
  const prefix = upstream === undefined ? '' : `${upstream}: `;
  return `${severity.padEnd(WIDEST_SEVERITY)}  ${prefix}${problem}; ${advice}`;
}

/** Encodes chain ids and block numbers as decimal text, because they may be too large for a double. */
function encodeDiagnoses(diagnoses: readonly Diagnosis[]): string {
  const networks = diagnoses.map(({ report, ...rest }) => ({ ...rest, ...flatten(report) }));
  const encodeBigInt = (_: string, value: unknown): unknown =>
    typeof value === 'bigint' ? value.toString() : value;
  return JSON.stringify({ networks }, encodeBigInt, 2);
}

function flatten(report: ExaminationReport | undefined): object {
  if (report === undefined) return {};
  const { identity, nodes, isServable, findings } = report;
  const upstreams = nodes.map(({ examination, ...rest }) => ({ ...rest, ...examination }));
  return { isServable, ...identity, upstreams, findings };
}
