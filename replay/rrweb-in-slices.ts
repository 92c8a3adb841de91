import { readFile } from 'node:fs/promises'
import type { Plugin } from 'esbuild'

/**
 * What the recorder changes in rrweb, so that no task of the page is long (recorder/slices.ts). rrweb takes a
 * snapshot, and what a page adds at once, in one task. With these changes `aaSlices.take(node)` decides
 * whether a node is recorded now; what is left out is added later, by rrweb's own code. Each text must be
 * there so often: another release of rrweb fails the build, and somebody reads it again. The other changes
 * keep what rrweb wraps as it is for the page (test/browser/replay/untouched-pages.test.ts).
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
    with: '$&\nrecord.buffers = mutationBuffers;\nrecord.slices = aaSlices;\nrecord.compareAdopted = aaCompareAdopted;',
  },
  {
    text: 'const mutationBuffers = [];',
    times: 1,
    with: `$&
const aaSlices = { take: () => true };
const aaTransparent = recordCall => (target, self, args) => {
  try { recordCall({ apply() {} }, self, args) } catch {}
  return aaApply(target, self, args)
};
const aaApply = Reflect.apply;
const aaAdopters = new Map();
const aaWatchAdopted = (host, compare) => {
  aaAdopters.set(compare, host);
  return () => aaAdopters.delete(compare);
};
const aaCompareAdopted = () => {
  for (const [compare, host] of aaAdopters) {
    // The document of a frame that has gone.
    if (host.nodeName === "#document" && !host.defaultView) aaAdopters.delete(compare);
    else try { compare() } catch {}
  }
};`,
  },
  {
    // A call of the page is recorded, then made: it happens once, and what it returns or throws is the page's
    // own.
    text: 'apply: callbackWrapper(',
    times: 8,
    with: 'apply: aaTransparent(',
  },
  {
    // The browser returns this from `addRule`.
    text: 'return win.CSSStyleSheet.prototype.insertRule.apply(this, [rule, index2]);',
    times: 1,
    with: 'win.CSSStyleSheet.prototype.insertRule.apply(this, [rule, index2]);\nreturn -1;',
  },
  {
    text: `if (shadowRootEl && inDom(this))
              manager.addShadowRoot(shadowRootEl, doc);`,
    times: 1,
    with: 'try { if (shadowRootEl && inDom(this)) manager.addShadowRoot(shadowRootEl, doc); } catch {}',
  },
  {
    // rrweb replaces the property of each document and shadow root, and so sees assignments alone: not what
    // changes the list itself (`push`, an index). Ours compares the lists, and the page keeps its property.
    text: 'if (hostId === null || hostId === -1 || !patchTarget || !originalPropertyDescriptor)',
    times: 1,
    with: `return aaWatchAdopted(host2, () => {
    const id = mirror2.getId(host2.nodeName === "#document" ? host2 : index.host(host2));
    const sheets = Array.from(host2.adoptedStyleSheets || []);
    const known = stylesheetManager.aaAdopted.get(id) || [];
    if (id === -1 || (sheets.length === known.length && known.every((sheet, at) => sheet === sheets[at]))) return;
    stylesheetManager.adoptStyleSheets(sheets, id);
  });
  $&`,
  },
  {
    // A list that has become empty is a change, too.
    text: 'if (sheets.length === 0) return;',
    times: 1,
    with: 'this.aaAdopted.set(hostId, Array.from(sheets));',
  },
  {
    // A snapshot has no sheets of the lists; they are recorded anew after it.
    text: 'this.trackedLinkElements = /* @__PURE__ */ new WeakSet();',
    times: 1,
    with: '$&\n    this.aaAdopted = new Map();',
  },
  {
    text: '__publicField(this, "trackedLinkElements", /* @__PURE__ */ new WeakSet());',
    times: 1,
    with: '$&\n    this.aaAdopted = new Map();',
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
