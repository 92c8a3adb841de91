/** One number of a metric. */
export type Sample = { labels?: Readonly<Record<string, string>>; value: number; suffix?: '_sum' | '_count' }

export type Metric = {
  name: string
  type: 'gauge' | 'counter' | 'summary'
  help: string
  samples: readonly Sample[]
}

/** The content type of the text format, version 0.0.4. */
export const PROMETHEUS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/**
 * The metrics in the text format of Prometheus
 * (https://prometheus.io/docs/instrumenting/exposition_formats/). Each has its two comment lines also when it
 * has no sample yet, so a reader sees everything that there is.
 */
export function toPrometheusText(metrics: readonly Metric[]): string {
  return metrics
    .map(({ name, type, help, samples }) => {
      const lines = samples.map(
        ({ labels = {}, value, suffix = '' }) => `${name}${suffix}${labelText(labels)} ${numberText(value)}`,
      )
      return [`# HELP ${name} ${escapeText(help)}`, `# TYPE ${name} ${type}`, ...lines].join('\n')
    })
    .join('\n')
    .concat('\n')
}

function labelText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeText(value, true)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

function escapeText(text: string, isQuoted = false): string {
  const escaped = text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
  return isQuoted ? escaped.replaceAll('"', '\\"') : escaped
}

function numberText(value: number): string {
  if (Number.isFinite(value)) return String(value)
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'
}
