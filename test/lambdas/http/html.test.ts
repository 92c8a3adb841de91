import { expect, test } from 'vitest'
import { html } from '#lambdas/http/html'

test('text is escaped, in elements and attributes', () => {
  const name = `<img src=x onerror="alert('1')"> & co`
  expect(html`<p title="${name}">${name}</p>`.text).toBe(
    '<p title="&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt; &amp; co">&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt; &amp; co</p>',
  )
})

test('markup inside markup stays markup, and what is not there prints nothing', () => {
  const items = ['a', 'b'].map(item => html`<li>${item}</li>`)
  expect(html`<ul>${items}</ul>${null}${undefined}${false}${0}`.text).toBe('<ul><li>a</li><li>b</li></ul>0')
})
