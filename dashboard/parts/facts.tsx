import type { ComponentChildren } from 'preact'

type FactsProps = {
  facts: readonly (readonly [term: string, value: ComponentChildren])[]
  /** More rows, below. */
  children?: ComponentChildren
}

/** Terms with their values. */
export function Facts({ facts, children }: FactsProps) {
  return (
    <dl class="facts">
      {facts.map(([term, value]) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd>{value}</dd>
        </div>
      ))}
      {children}
    </dl>
  )
}
