{{- define "portcullis.fullname" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "portcullis.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: gateway
{{- end -}}

{{- define "portcullis.valkeySelector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: valkey
{{- end -}}

{{- define "portcullis.labels" -}}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "portcullis.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- .Values.serviceAccount.name | default (include "portcullis.fullname" .) -}}
{{- else -}}
{{- .Values.serviceAccount.name | default "default" -}}
{{- end -}}
{{- end -}}

{{/* Returns "true" if replicas share a Valkey, otherwise nothing. */}}
{{- define "portcullis.hasValkey" -}}
{{- if or .Values.valkey.enabled .Values.secrets.VALKEY_URL -}}true{{- end -}}
{{- end -}}

{{/* Returns the Secrets of the values and of the chart, by the names of variables. */}}
{{- define "portcullis.secrets" -}}
{{- $name := include "portcullis.fullname" . -}}
{{- $made := dict "ADMIN_KEY" (dict "name" (printf "%s-admin" $name) "key" "key") -}}
{{- if .Values.valkey.enabled -}}
{{- $_ := set $made "VALKEY_URL" (dict "name" (printf "%s-valkey" $name) "key" "url") -}}
{{- end -}}
{{- mergeOverwrite $made .Values.secrets | toYaml -}}
{{- end -}}

{{/* Fails for an option of the configuration that the chart sets from another value. */}}
{{- define "portcullis.checkConfig" -}}
{{- $elsewhere := dict "networks" "networks" "workers" "autoscaling or replicas" "listen.host" "service" "listen.port" "service.port" -}}
{{- $_ := set $elsewhere "listen.tls" "tls.secretName" -}}
{{- $_ := set $elsewhere "access.valkey.url" "valkey.enabled or secrets.VALKEY_URL" -}}
{{- $_ := set $elsewhere "admin.key" "secrets.ADMIN_KEY" -}}
{{- $_ := set $elsewhere "limits.drainDelay" "drain.delaySeconds" -}}
{{- $_ := set $elsewhere "limits.drainTimeout" "drain.timeoutSeconds" -}}
{{- $config := .Values.config -}}
{{- range $path, $value := $elsewhere -}}
{{- $found := $config -}}
{{- range $name := splitList "." $path -}}
{{- $found = kindIs "map" $found | ternary (get (kindIs "map" $found | ternary $found dict) $name) nil -}}
{{- end -}}
{{- if $found -}}
{{- fail (printf "config.%s: the chart sets this option: set %s" $path $value) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Returns the configuration. Options that the chart sets override those of the values. */}}
{{- define "portcullis.config" -}}
{{- include "portcullis.checkConfig" . -}}
{{- $networks := .Values.networks -}}
{{- if not $networks -}}
{{- $networks = dict "devnet" (dict "hosts" (list "devnet.localhost") "builtin" "devnet") -}}
{{- end -}}
{{- $listen := dict "host" "0.0.0.0" "port" 8545 -}}
{{- if .Values.tls.secretName -}}
{{- $_ := set $listen "tls" (dict "cert" "/etc/portcullis-tls/tls.crt" "key" "/etc/portcullis-tls/tls.key") -}}
{{- end -}}
{{- $drain := dict "drainDelay" (printf "%vs" .Values.drain.delaySeconds) "drainTimeout" (printf "%vs" .Values.drain.timeoutSeconds) -}}
{{- $own := dict "listen" $listen "workers" 1 "networks" $networks "limits" $drain -}}
{{- $_ := set $own "admin" (dict "host" "0.0.0.0" "port" 9545 "key" "${ADMIN_KEY}") -}}
{{- if include "portcullis.hasValkey" . -}}
{{- $_ := set $own "access" (dict "valkey" (dict "url" "${VALKEY_URL}")) -}}
{{- end -}}
{{- $defaults := dict "listen" (dict "trustedProxies" (list "private")) -}}
{{- mergeOverwrite $defaults (deepCopy .Values.config) $own | toYaml -}}
{{- end -}}

{{- define "portcullis.probe" -}}
{ path: /health/{{ .path }}, port: rpc, scheme: {{ ternary "HTTPS" "HTTP" (ne .secretName "") }} }
{{- end -}}

{{- define "portcullis.podSecurity" -}}
runAsNonRoot: true
runAsUser: {{ . }}
runAsGroup: {{ . }}
fsGroup: {{ . }}
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "portcullis.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}
