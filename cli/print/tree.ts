import type { TreeNode } from './blocks.ts'
import { formatted } from './format.ts'
import type { Style } from './style.ts'
import { cutTo, widthOf } from './width.ts'

/** One line a node, below its parent. Where the line is too long, the label is cut and the detail stays. */
export function treeLines(nodes: readonly TreeNode[], width: number, style: Style): string[] {
  if (nodes.length === 0) return [style.dim('(none)')]
  return nodes.flatMap(node => linesOf(node, '', '', width, style))
}

function linesOf(node: TreeNode, first: string, rest: string, width: number, style: Style): string[] {
  const detail = cutTo(formatted(node.detail), Math.max(0, width - first.length - 6))
  const label = cutTo(formatted(node.label), Math.max(1, width - first.length - widthOf(detail) - 2))
  const children = node.children.flatMap((child, i) => {
    const isLast = i === node.children.length - 1
    return linesOf(child, `${rest}${isLast ? '└ ' : '├ '}`, `${rest}${isLast ? '  ' : '│ '}`, width, style)
  })
  return [cutIfPlain(`${first}${label}  ${style.dim(detail)}`, width), ...children]
}

/** Only a terminal narrower than the indent of a deep node needs it. */
function cutIfPlain(text: string, width: number): string {
  return text.includes('\u001b') ? text : cutTo(text, width)
}
