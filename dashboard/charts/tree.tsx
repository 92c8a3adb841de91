import { useState } from 'preact/hooks'

export type TreeNode = {
  key: string
  label: string
  /** `goal`: the way ends well. `lost`: it ends without the goal. */
  kind: 'step' | 'goal' | 'lost' | 'cut'
  value: number
  /** Of the nodes beside it and their parent, 0 to 1. */
  share: number
  note?: string
  children: readonly TreeNode[]
}

export type TreeProps = {
  name: string
  nodes: readonly TreeNode[]
  count(value: number): string
  /** Levels that are open at first. */
  openLevels?: number
}

/** Ways as a tree that folds, by details elements, so it folds by keyboard too. */
export function Tree({ name, nodes, count, openLevels = 1 }: TreeProps) {
  return (
    <section class="tree" aria-label={name}>
      <Level nodes={nodes} count={count} openLevels={openLevels} depth={0} />
    </section>
  )
}

type LevelProps = Required<Omit<TreeProps, 'name'>> & { depth: number }

function Level({ nodes, count, openLevels, depth }: LevelProps) {
  return (
    <ul>
      {nodes.map(node => (
        <li key={node.key} class={node.kind}>
          {node.children.length === 0 ? (
            <div class="leaf">
              <Row node={node} count={count} />
            </div>
          ) : (
            <Branch node={node} count={count} openLevels={openLevels} depth={depth} />
          )}
        </li>
      ))}
    </ul>
  )
}

/** A closed branch draws none of its children: a whole tree may have tens of thousands of them. */
function Branch({ node, count, openLevels, depth }: Omit<LevelProps, 'nodes'> & { node: TreeNode }) {
  const [isOpen, setOpen] = useState(depth < openLevels)
  return (
    <details open={isOpen} onToggle={event => setOpen(event.currentTarget.open)}>
      <summary>
        <Row node={node} count={count} />
      </summary>
      {isOpen && <Level nodes={node.children} count={count} openLevels={openLevels} depth={depth + 1} />}
    </details>
  )
}

function Row({ node: { label, value, share, note }, count }: { node: TreeNode } & Pick<TreeProps, 'count'>) {
  return (
    <span class="row">
      <span
        class="bar"
        style={{ inlineSize: `${Math.max(0, Math.min(1, share)) * 100}%` }}
        aria-hidden="true"
      />
      <span class="label">{label}</span>
      <b>{count(value)}</b>
      {note !== undefined && <small>{note}</small>}
    </span>
  )
}
