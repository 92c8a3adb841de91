import { NodeType, type SnapshotNode } from './events.ts'
import { hasOwnText, isSpreadSecret, type Part } from './spread-secret.ts'

/** A secret may be spread over the parts of an element with at most so many characters. */
export const SPREAD_CHARS = 120
export const SPREAD_NODES = 60
/** Elements whose texts no user reads. They are no part of a secret that others show. */
export const CODE_TAGS = /^(script|noscript|template|style)$/

/** Returns whether the texts below a short element look like a secret only together. */
export function isSpread(node: SnapshotNode): boolean {
  const parts: Part[] = []
  let chars = 0
  let nodes = 0
  const collect = (children: SnapshotNode[] = [], owner: unknown): boolean =>
    children.every(child => {
      if (++nodes > SPREAD_NODES) return false
      if (child.type !== NodeType.Text) {
        return isCode(child) || collect(child.childNodes, hasOwnText(child.tagName ?? '') ? child : owner)
      }
      const text = String(child.textContent ?? '')
      parts.push({ text, owner })
      chars += text.length
      return chars <= SPREAD_CHARS
    })
  return collect(node.childNodes, node) && isSpreadSecret(parts)
}

function isCode({ tagName = '' }: SnapshotNode): boolean {
  return CODE_TAGS.test(tagName.toLowerCase())
}
