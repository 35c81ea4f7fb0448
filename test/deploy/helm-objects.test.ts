/** The objects of the Helm chart: references to each other, privileges of their pods, probes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findRoute } from '../../src/server/request-head.ts';
import { CASES, ofKind } from './helm-cases.ts';
import { type KubernetesObject, NO_HELM, renderChart } from './helm-program.ts';

for (const { name, args, values } of CASES) {
  test(`the objects of the chart with ${name} reference each other`, { skip: NO_HELM }, () => {
    const objects = renderChart(...args);
    const workloads = [...ofKind(objects, 'Deployment'), ...ofKind(objects, 'StatefulSet')];
    const pods = workloads.map(({ spec }) => spec.template);
    const selects = (labels: Readonly<Record<string, string>>, pod: KubernetesObject): boolean =>
      Object.entries(labels).every(([key, value]) => pod.metadata.labels[key] === value);
    const selectors = objects.flatMap(({ spec }) => {
      const found = spec?.podSelector?.matchLabels ?? spec?.selector?.matchLabels ?? spec?.selector;
      return found === undefined ? [] : [found];
    });
    for (const labels of selectors.filter((row) => row['app.kubernetes.io/component'] !== 'admin'))
      assert.equal(pods.filter((pod) => selects(labels, pod)).length, 1, JSON.stringify(labels));
    const secrets = new Set(ofKind(objects, 'Secret').map(({ metadata }) => metadata.name));
    const given = Object.values<KubernetesObject>(values.secrets ?? {}).map((secret) => secret.name);
    for (const workload of workloads) {
      const { spec, metadata } = workload.spec.template;
      const [container] = spec.containers;
      const claims = workload.spec.volumeClaimTemplates ?? [];
      const volumes = [
        ...spec.volumes.map((volume: KubernetesObject) => volume.name),
        ...claims.map((claim: KubernetesObject) => claim.metadata.name),
      ];
      for (const mount of container.volumeMounts) assert.ok(volumes.includes(mount.name), mount.name);
      for (const { valueFrom } of container.env) {
        const { name: secret } = valueFrom.secretKeyRef;
        assert.notEqual(secrets.has(secret), given.includes(secret), `${secret} is made or exists`);
      }
      const ports = container.ports.map((port: KubernetesObject) => port.name);
      for (const service of ofKind(objects, 'Service').filter((row) =>
        selects(row.spec.selector, { metadata }),
      ))
        for (const port of service.spec.ports) assert.ok(ports.includes(port.targetPort), port.targetPort);
    }
    for (const scaler of ofKind(objects, 'HorizontalPodAutoscaler')) {
      assert.equal(scaler.spec.scaleTargetRef.name, ofKind(objects, 'Deployment')[0].metadata.name);
      assert.equal(
        ofKind(objects, 'Deployment')[0].spec.replicas,
        undefined,
        'the autoscaler sets the number',
      );
    }
    for (const { spec } of ofKind(objects, 'ServiceMonitor')) {
      const scraped = ofKind(objects, 'Service').filter((row) => selects(spec.selector.matchLabels, row));
      assert.equal(scraped.length, 1);
      assert.equal(scraped[0].spec.ports[0].name, spec.endpoints[0].port);
    }
  });

  test(`pods of the chart with ${name} have no privileges`, { skip: NO_HELM }, () => {
    const objects = renderChart(...args);
    for (const { spec } of [...ofKind(objects, 'Deployment'), ...ofKind(objects, 'StatefulSet')]) {
      const pod = spec.template.spec;
      assert.equal(pod.automountServiceAccountToken, false);
      assert.equal(pod.securityContext.runAsNonRoot, true);
      assert.ok(pod.securityContext.runAsUser > 0);
      assert.deepEqual(pod.securityContext.seccompProfile, { type: 'RuntimeDefault' });
      for (const container of pod.containers) {
        assert.deepEqual(container.securityContext, {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
      }
    }
    const [container] = ofKind(objects, 'Deployment')[0].spec.template.spec.containers;
    for (const [probe, route] of [
      ['startupProbe', 'live'],
      ['livenessProbe', 'live'],
      ['readinessProbe', 'ready'],
    ] as const) {
      const { path, port, scheme } = container[probe].httpGet;
      assert.deepEqual([findRoute(path).to, port], [route, 'rpc']);
      assert.equal(scheme, values.tls === undefined ? 'HTTP' : 'HTTPS');
    }
  });
}
