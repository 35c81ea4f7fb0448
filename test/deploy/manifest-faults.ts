/** Validates Kubernetes objects by the schemas of Kubernetes 1.27 and of the Prometheus operator, and refuses unknown fields. */
import { ServiceMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/ServiceMonitor';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { StatefulSet } from 'kubernetes-models/apps/v1/StatefulSet';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap';
import { Namespace } from 'kubernetes-models/v1/Namespace';
import { Secret } from 'kubernetes-models/v1/Secret';
import { Service } from 'kubernetes-models/v1/Service';
import { ServiceAccount } from 'kubernetes-models/v1/ServiceAccount';

type Model = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly prototype: { validate(): void };
};

const MODELS: readonly Model[] = [
  ConfigMap,
  Deployment,
  HorizontalPodAutoscaler,
  Namespace,
  NetworkPolicy,
  PodDisruptionBudget,
  Secret,
  Service,
  ServiceAccount,
  ServiceMonitor,
  StatefulSet,
];

/** Returns the errors that the schema of the object's kind finds, and the paths of fields that the schema does not have. */
export function listManifestFaults(object: object): string[] {
  const { apiVersion, kind } = object as { readonly apiVersion?: string; readonly kind?: string };
  const model = MODELS.find((row) => row.apiVersion === apiVersion && row.kind === kind);
  if (model === undefined) return [`no schema for ${apiVersion} ${kind}`];
  const unread = new Set<string>();
  try {
    model.prototype.validate.call(watchFields(object, '', unread));
  } catch (error) {
    return [(error as Error).message];
  }
  return [...unread].map((path) => `unknown field ${path}`);
}

/**
 * Returns a view of a value that records which fields are read. The compiled schemas read every known field and ignore all others, as the API server
 * does without strict validation. A field that remains in `unread` is therefore unknown.
 */
function watchFields(value: object, path: string, unread: Set<string>): object {
  const inside = new Map<string | symbol, unknown>();
  const pathOf = (key: string | symbol): string => `${path}.${String(key)}`;
  for (const key of Object.keys(value)) unread.add(pathOf(key));
  return new Proxy(value, {
    get(target, key) {
      const found: unknown = Reflect.get(target, key);
      unread.delete(pathOf(key));
      if (typeof found !== 'object' || found === null) return found;
      if (!inside.has(key)) inside.set(key, watchFields(found, pathOf(key), unread));
      return inside.get(key);
    },
  });
}
