import type { TestEvent } from './viewer-page.ts'

/** Builds events as rrweb writes them, by hand. */

export type TestNode = Record<string, unknown> & { id: number }

export function element(
  id: number,
  tagName: string,
  attributes: Record<string, unknown> = {},
  childNodes: TestNode[] = [],
  more: Record<string, unknown> = {},
): TestNode {
  return { id, type: 2, tagName, attributes, childNodes, ...more }
}

export function text(id: number, textContent: string): TestNode {
  return { id, type: 3, textContent }
}

/** A document with these nodes in its head and body, whose ids are 1 to 5. */
export function page(head: TestNode[], body: TestNode[]): TestNode {
  const html = element(3, 'html', {}, [element(4, 'head', {}, head), element(5, 'body', {}, body)])
  return { id: 1, type: 0, childNodes: [{ id: 2, type: 1, name: 'html', publicId: '', systemId: '' }, html] }
}

export function snapshot(
  timestamp: number,
  node: unknown,
  { href = 'https://shop.test/start', width = 800, height = 600 } = {},
): TestEvent[] {
  return [
    { type: 4, timestamp, data: { href, width, height } },
    { type: 2, timestamp, data: { node, initialOffset: { left: 0, top: 0 } } },
  ]
}

export function change(timestamp: number, data: Record<string, unknown>): TestEvent {
  const empty = { texts: [], attributes: [], removes: [], adds: [] }
  return { type: 3, timestamp, data: { source: 0, ...empty, ...data } }
}

export function setText(timestamp: number, id: number, value: string): TestEvent {
  return change(timestamp, { texts: [{ id, value }] })
}

export function move(timestamp: number, x: number, y: number, id = 5): TestEvent {
  return { type: 3, timestamp, data: { source: 1, positions: [{ x, y, id, timeOffset: 0 }] } }
}

export function click(timestamp: number, x: number, y: number, id = 5): TestEvent {
  return { type: 3, timestamp, data: { source: 2, type: 2, id, x, y } }
}
