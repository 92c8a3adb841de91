import type { Page } from 'playwright-core'
import type { RecordedEvent, SnapshotNode } from '#replay/masking/events'

type Played = { id: number; name: string; text: string; children: Played[]; parent: Played | null }

type Mutation = {
  source: number
  removes?: { id: number }[]
  adds?: { parentId: number; nextId: number | null; node: SnapshotNode }[]
  texts?: { id: number; value: string }[]
}

/**
 * What a player shows at the end of a recording: elements and texts, as `<p>text<b></b></p>`. A change that a
 * player cannot apply throws.
 */
export function playPage(events: readonly RecordedEvent[]): string {
  const nodes = new Map<number, Played>()
  let root: Played | null = null

  function build(node: SnapshotNode, parent: Played | null): Played {
    const built: Played = {
      id: node.id,
      name: (node.tagName ?? '').toLowerCase(),
      text: node.textContent ?? '',
      children: [],
      parent,
    }
    if (nodes.has(node.id)) throw new Error(`Node ${node.id} is added twice.`)
    nodes.set(node.id, built)
    built.children = (node.childNodes ?? []).map(child => build(child, built))
    return built
  }

  function find(id: number): Played {
    const node = nodes.get(id)
    if (!node) throw new Error(`Node ${id} is not known.`)
    return node
  }

  function remove(node: Played): void {
    if (node.parent) node.parent.children = node.parent.children.filter(child => child !== node)
    forget(node)
  }

  /** What is removed is unknown from then on. If it comes back, it is added with all that is below it. */
  function forget(node: Played): void {
    nodes.delete(node.id)
    node.children.forEach(forget)
  }

  for (const { type, data } of events) {
    if (type === 2) {
      nodes.clear()
      root = build(data.node as SnapshotNode, null)
    }
    const { source, removes = [], adds = [], texts = [] } = data as Mutation
    if (type !== 3 || source !== 0) continue
    for (const { id } of removes) remove(find(id))
    // As in the player, an addition may wait for the node before which it stands.
    for (let left = adds; left.length > 0; ) {
      const later = left.filter(({ parentId, nextId, node }) => {
        const parent = nodes.get(parentId)
        const next = nextId === null ? null : parent?.children.findIndex(({ id }) => id === nextId)
        if (!parent || next === -1) return true
        const built = build(node, parent)
        parent.children.splice(next ?? parent.children.length, 0, built)
        return false
      })
      if (later.length === left.length) throw new Error(`Nodes cannot be placed: ${JSON.stringify(later)}`)
      left = later
    }
    for (const { id, value } of texts) find(id).text = value
  }
  return root ? show(root) : ''
}

function show({ name, text, children }: Played): string {
  return name ? `<${name}>${children.map(show).join('')}</${name}>` : text + children.map(show).join('')
}

/** The page as `playPage` shows a recording of it. */
export function showPage(page: Page): Promise<string> {
  return page.evaluate(() => {
    const show = (node: Node): string => {
      const below: Node[] = [...node.childNodes]
      const { shadowRoot, contentDocument } = node as HTMLIFrameElement
      if (contentDocument) below.push(contentDocument)
      if (shadowRoot) below.push(...shadowRoot.childNodes)
      const text = below.map(show).join('')
      if (node.nodeType === Node.TEXT_NODE)
        return /^(STYLE|SCRIPT)$/.test(node.parentNode!.nodeName) ? '' : node.textContent!
      if (node.nodeType === Node.DOCUMENT_NODE) return text
      const name = node.nodeName.toLowerCase()
      return node.nodeType === Node.ELEMENT_NODE ? `<${name}>${text}</${name}>` : ''
    }
    return show(document)
  })
}
