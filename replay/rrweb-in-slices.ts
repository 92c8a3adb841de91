import { readFile } from 'node:fs/promises'
import type { Plugin } from 'esbuild'

/**
 * What the recorder changes in rrweb, so that no task of the page is long (recorder/slices.ts). rrweb takes a
 * snapshot, and what a page adds at once, in one task. With these changes `aaSlices.take(node)` decides
 * whether a node is recorded now; what is left out is added later, by rrweb's own code. Each text must be
 * there so often: another release of rrweb fails the build, and somebody reads it again.
 */
const CHANGES: { text: string; times: number; with: string }[] = [
  {
    // A snapshot leaves out children.
    text: 'const serializedChildNode = serializeNodeWithId(childN, bypassOptions);',
    times: 2,
    with: 'if (!aaSlices.take(childN)) continue;\n$&',
  },
  {
    // So does a change that adds nodes.
    text: 'this.addedSet.add(n);\n        this.droppedSet.delete(n);',
    times: 1,
    with: 'if (!aaSlices.take(n)) return;\n$&',
  },
  {
    // A node stands before the next sibling that is recorded. Those between them are added later.
    text: 'while (nextId === IGNORED_NODE) {',
    times: 1,
    with: 'while (nextId === IGNORED_NODE || nextId === -1) {',
  },
  {
    // It takes two methods for accessors, and so adds a frame to every page, to get those of a clean window.
    text: 'Element: ["shadowRoot", "querySelector", "querySelectorAll"],',
    times: 1,
    with: 'Element: ["shadowRoot"],',
  },
  {
    // It begins with observers alone. The snapshot is a task of its own (recorder/start-recorder.ts).
    text: 'takeFullSnapshot();\n      handlers.push(observe(document));',
    times: 1,
    with: 'handlers.push(observe(document));',
  },
  {
    text: 'record.mirror = mirror;',
    times: 1,
    with: '$&\nrecord.buffers = mutationBuffers;\nrecord.slices = aaSlices;',
  },
  {
    text: 'const mutationBuffers = [];',
    times: 1,
    with: '$&\nconst aaSlices = { take: () => true };',
  },
]

/** Throws an error that names the change if rrweb has another text. */
export const rrwebInSlices: Plugin = {
  name: 'rrweb-in-slices',
  setup({ onLoad }) {
    onLoad({ filter: /@rrweb[\\/]record[\\/]dist[\\/]record\.js$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8')
      const contents = CHANGES.reduce((changed, { text, times, with: replacement }) => {
        const found = changed.split(text).length - 1
        if (found !== times) throw new Error(`rrweb has ${found} times, and not ${times} times: ${text}`)
        return changed.replaceAll(text, () => replacement.replace('$&', () => text))
      }, source)
      return { contents, loader: 'js' }
    })
  },
}
