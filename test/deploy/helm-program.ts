import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { findProgram } from './find-program.ts';

/** `scripts/install-servers.sh` installs Helm here. */
const INSTALLED: string = join(
  process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'),
  'portcullis-tests/helm-v4.1.4/helm',
);
const HELM: string | undefined = findProgram('helm') ?? (existsSync(INSTALLED) ? INSTALLED : undefined);

/** Reason to skip tests of the chart; false where Helm is installed. */
export const NO_HELM: string | false =
  HELM === undefined && 'helm is not installed: scripts/install-servers.sh installs it';

export const CHART = 'deploy/helm/portcullis';
/** Kubernetes version of the schemas that the objects are checked against. */
const KUBERNETES = '1.27.0';

type HelmResult = { readonly status: number | null; readonly out: string; readonly err: string };

/** Runs Helm without a cluster. */
export function runHelm(...args: readonly string[]): HelmResult {
  const { status, stdout, stderr } = spawnSync(HELM as string, args, {
    encoding: 'utf8',
    env: { ...process.env, KUBECONFIG: '/nonexistent' },
  });
  return { status, out: stdout, err: stderr };
}

/** Renders the chart as release `rpc`. @throws Error with what Helm printed */
export function renderChart(...args: readonly string[]): ReturnType<typeof parseRendered> {
  const { status, out, err } = runHelm('template', 'rpc', CHART, '--kube-version', KUBERNETES, ...args);
  if (status !== 0) throw new Error(err);
  return parseRendered(out);
}

/** Object of Kubernetes. It has no type, because the YAML library returns none. */
export type KubernetesObject = ReturnType<ReturnType<typeof parseAllDocuments>[number]['toJS']>;

/** Parses a stream of manifests. */
export function parseRendered(text: string): KubernetesObject[] {
  return parseAllDocuments(text)
    .map((document) => {
      const [error] = document.errors;
      if (error !== undefined) throw error;
      return document.toJS() as KubernetesObject;
    })
    .filter((object) => object !== null);
}
