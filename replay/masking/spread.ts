import { NodeType, type SnapshotNode } from './events.ts'
import { isSpreadSecret } from './patterns.ts'

/** A secret may be spread over the parts of an element with at most so many characters. */
export const SPREAD_CHARS = 120
export const SPREAD_NODES = 60
/** Elements whose texts no user reads. They are no part of a secret that others show. */
export const CODE_TAGS = /^(script|noscript|template|style)$/

/** Returns whether the texts below a short element look like a secret only together. */
export function isSpread(node: SnapshotNode): boolean {
  const texts: string[] = []
  let chars = 0
  let nodes = 0
  const collect = (children: SnapshotNode[] = []): boolean =>
    children.every(child => {
      if (++nodes > SPREAD_NODES) return false
      if (child.type !== NodeType.Text) return isCode(child) || collect(child.childNodes)
      texts.push(String(child.textContent ?? ''))
      chars += texts.at(-1)!.length
      return chars <= SPREAD_CHARS
    })
  return collect(node.childNodes) && isSpreadSecret(texts)
}

function isCode({ tagName = '' }: SnapshotNode): boolean {
  return CODE_TAGS.test(tagName.toLowerCase())
}
