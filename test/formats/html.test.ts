import { describe, expect, test } from 'vitest'
import { LimitError } from '../../src/contract/limits.ts'
import { html, readHtml } from '../../src/formats/html.ts'
import { growth, NOT_LINEAR } from '../support/growth.ts'

const blocks = (markup: string) => html.read(markup).content
const codes = (markup: string) => html.read(markup).warnings.map(({ code, message }) => `${code}: ${message}`)

describe('HTML', () => {
  test.each([
    [
      'formats by element',
      '<p>a <b>b</b> <s>c</s> <u>d</u> 10<sup>-3</sup> H<sub>2</sub>O <mark>e</mark> <kbd>F1</kbd></p>',
      [
        'a ',
        { type: 'bold', text: 'b' },
        ' ',
        { type: 'strike', text: 'c' },
        ' ',
        { type: 'underline', text: 'd' },
        ' 10',
        { type: 'superscript', text: '-3' },
        ' H',
        { type: 'subscript', text: '2' },
        'O ',
        { type: 'highlight', text: 'e' },
        ' ',
        { type: 'keyboard', text: 'F1' },
      ],
    ],
    [
      'formats by style',
      '<p><span style="font-weight:700">a</span><span style="font-style:italic;text-decoration:line-through">b</span></p>',
      [
        { type: 'bold', text: 'a' },
        { type: 'italic', text: { type: 'strike', text: 'b' } },
      ].map((item) => (typeof item.text === 'object' ? { ...item, text: [item.text] } : item)),
    ],
    [
      'the wrapper of Google Docs, which is not bold',
      '<b style="font-weight:normal;" id="docs-internal-guid-1"><p dir="ltr"><span style="font-weight:400">a</span></p></b>',
      'a',
    ],
    [
      'a link that Google Docs leads through its own page',
      '<p><a href="https://www.google.com/url?q=https://example.com/a%3Fb&amp;sa=D">a</a></p>',
      [{ type: 'link', url: 'https://example.com/a?b', text: 'a' }],
    ],
    [
      'code with a link in it',
      '<p><code>a <a href="https://example.com">b</a></code></p>',
      [
        { type: 'code', text: 'a ' },
        { type: 'link', url: 'https://example.com', text: [{ type: 'code', text: 'b' }] },
      ],
    ],
    [
      'white space and breaks as a browser shows them',
      '<p>\n  a\n  <b> b </b>\n  c <br>\n d<br> </p>',
      ['a ', { type: 'bold', text: 'b ' }, 'c', { type: 'break' }, 'd'],
    ],
    ['what pronounces a character', '<p><ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby></p>', '漢(kan)'],
    [
      'a formula by its source',
      '<p><span class="katex"><math><semantics><mi>x</mi><annotation encoding="application/x-tex">x^2</annotation></semantics></math><span aria-hidden="true">x2</span></span></p>',
      [{ type: 'math', latex: 'x^2' }],
    ],
    ['a picture of a character', '<p>a <img class="emoji" alt="😀" src="https://s.w.org/1.svg"></p>', 'a 😀'],
  ])('keeps %s', (_, markup, content) => expect(blocks(markup)).toEqual([{ type: 'paragraph', content }]))

  test.each([
    [
      'text without elements, a paragraph for each blank line',
      'a\nb\n\n<b>c</b>',
      [
        { type: 'paragraph', content: 'a b' },
        { type: 'paragraph', content: [{ type: 'bold', text: 'c' }] },
      ],
    ],
    [
      'two breaks as the end of a paragraph',
      '<div>a<br><br>b</div>',
      [
        { type: 'paragraph', content: 'a' },
        { type: 'paragraph', content: 'b' },
      ],
    ],
    [
      'a link around blocks',
      '<a href="/x"><h2>a</h2><p>b</p><img src="c.png" alt="c"></a>',
      [
        { type: 'heading', level: 2, text: [{ type: 'link', url: '/x', text: 'a' }] },
        { type: 'paragraph', content: [{ type: 'link', url: '/x', text: 'b' }] },
        { type: 'image', url: 'c.png', alt: 'c', link: '/x' },
      ],
    ],
    [
      'nested lists, also beside their item',
      '<ol start="3"><li>a<ul><li>b</ul><li>c</li><ul><li>d</ul></ol>',
      [
        {
          type: 'list',
          ordered: true,
          start: 3,
          items: [
            { text: 'a', items: [{ text: 'b' }], ordered: false },
            { text: 'c', items: [{ text: 'd' }], ordered: false },
          ],
        },
      ],
    ],
    [
      'tasks, and what else stands in an item',
      '<ul><li><input type="checkbox" checked> a<li><p>b</p><p>c</p><pre><code>d</code></pre></ul>',
      [
        {
          type: 'list',
          ordered: false,
          items: [
            { text: 'a', checked: true },
            {
              text: ['b', { type: 'break' }, { type: 'break' }, 'c'],
              blocks: [{ type: 'code_block', value: 'd' }],
            },
          ],
        },
      ],
    ],
    [
      'the lists of Word',
      `<p class=MsoListParagraphCxSpFirst style='text-indent:-.25in;mso-list:l0 level1 lfo1'><![if !supportLists]><span style='mso-list:Ignore'>·<span>&nbsp;&nbsp;</span></span><![endif]>a<o:p></o:p></p>
      <p class=MsoListParagraphCxSpLast style='mso-list:l0 level2 lfo1'><span style='mso-list:Ignore'>1.</span>b</p>`,
      [{ type: 'list', ordered: false, items: [{ text: 'a', items: [{ text: 'b' }], ordered: true }] }],
    ],
    [
      'a table with all it may have',
      '<table><caption>t</caption><thead><tr><th align="right">a<th>b</thead><tbody><tr><th>c<td rowspan=2>d<tr><td style="text-align:center">e</tbody><tfoot><tr><td colspan="2">f</tfoot></table>',
      [
        {
          type: 'table',
          headers: [{ content: 'a', align: 'right' }, 'b'],
          rows: [
            [
              { content: 'c', header: true },
              { content: 'd', rowspan: 2 },
            ],
            [{ content: 'e', align: 'center' }],
          ],
          footer: [{ content: 'f', colspan: 2 }],
          caption: 't',
        },
      ],
    ],
    [
      'a table of the layout as what is in it',
      '<table role="presentation"><tr><td><h1>a</h1><td><p>b</p></table>',
      [
        { type: 'heading', level: 1, text: 'a' },
        { type: 'paragraph', content: 'b' },
      ],
    ],
    [
      'a figure',
      '<figure class="alignwide"><a href="/l"><img src="a.png" data-src="b.png" alt=" c " width="300px" height=200 title=t></a><figcaption>d <em>e</em></figcaption></figure>',
      [
        {
          type: 'image',
          url: 'a.png',
          alt: 'c',
          title: 't',
          link: '/l',
          width: 300,
          height: 200,
          align: 'wide',
          caption: ['d ', { type: 'italic', text: 'e' }],
        },
      ],
    ],
    [
      'a picture that is loaded late',
      '<img src="data:image/gif;base64,R0lGOD" data-src="b.png" alt="">',
      [{ type: 'image', url: 'b.png', alt: '' }],
    ],
    [
      'a gallery of the block editor',
      '<figure class="wp-block-gallery"><figure class="wp-block-image"><img src="a.png" alt=""><figcaption>1</figcaption></figure><figure class="wp-block-image"><img src="b.png" alt=""></figure><figcaption>2</figcaption></figure>',
      [
        {
          type: 'gallery',
          images: [
            { type: 'image', url: 'a.png', alt: '', caption: '1' },
            { type: 'image', url: 'b.png', alt: '' },
          ],
          caption: '2',
        },
      ],
    ],
    [
      'players in frames',
      '<iframe src="https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ?start=3"></iframe><iframe src="//player.vimeo.com/video/123?h=1"></iframe><iframe src="https://w.soundcloud.com/player/?visual=true&amp;url=https%3A%2F%2Fsoundcloud.com%2Fa%2Fb"></iframe>',
      [
        { type: 'embed', url: 'https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=3s' },
        { type: 'embed', url: 'https://vimeo.com/123/1' },
        { type: 'embed', url: 'https://soundcloud.com/a/b' },
      ],
    ],
    [
      'video, audio, and their captions',
      '<figure><video poster="p.jpg"><source src="a.mp4">old browser</video><figcaption>c</figcaption></figure><audio src="b.mp3"></audio>',
      [
        { type: 'video', url: 'a.mp4', poster: 'p.jpg', caption: 'c' },
        { type: 'audio', url: 'b.mp3' },
      ],
    ],
    [
      'a quote with its source',
      '<blockquote><p>a</p><ul><li>b</ul><cite>c</cite></blockquote>',
      [
        {
          type: 'quote',
          content: [
            { type: 'paragraph', content: 'a' },
            { type: 'list', ordered: false, items: [{ text: 'b' }] },
          ],
          citation: 'c',
        },
      ],
    ],
    [
      'code with its language',
      '<pre><code class="hljs language-ts">a &lt; b\n  c</code></pre>',
      [{ type: 'code_block', value: 'a < b\n  c', language: 'ts' }],
    ],
    [
      'preformatted text with its formats',
      '<pre>\na\n  <b>b</b></pre>',
      [{ type: 'preformatted', content: ['a\n  ', { type: 'bold', text: 'b' }] }],
    ],
    [
      'details',
      '<details open><summary>a <b>b</b></summary><p>c</p>d</details>',
      [
        {
          type: 'details',
          summary: ['a ', { type: 'bold', text: 'b' }],
          content: [
            { type: 'paragraph', content: 'c' },
            { type: 'paragraph', content: 'd' },
          ],
          open: true,
        },
      ],
    ],
    [
      'formulas by themselves',
      '<div class="wp-block-math"><math display="block"><semantics><mi>x</mi><annotation encoding="application/x-tex">x^2</annotation></semantics></math></div><p>a <span class="katex-display"><span class="katex"><math display="block"><semantics><mi>y</mi><annotation encoding="application/x-tex">y</annotation></semantics></math></span></span></p>',
      [
        { type: 'math', latex: 'x^2' },
        { type: 'paragraph', content: 'a' },
        { type: 'math', latex: 'y' },
      ],
    ],
    [
      'footnotes of the block editor',
      '<p>a<sup data-fn="1f" class="fn"><a href="#1f" id="1f-link">1</a></sup> b</p><ol class="wp-block-footnotes"><li id="1f">c <a href="#1f-link" aria-label="back">↩︎</a></li></ol>',
      [{ type: 'paragraph', content: ['a', { type: 'footnote', id: '1f', text: 'c' }, ' b'] }],
    ],
    [
      'pictures and frames that are loaded late, once',
      '<img src="data:image/svg+xml,x" data-lazy-src="a.png" alt="a"><noscript><img src="a.png" alt="a"></noscript><noscript><img src="b.png" alt="b"></noscript><iframe src="about:blank" data-lazy-src="https://www.youtube.com/embed/x"></iframe><video data-src="c.mp4"></video><lite-youtube videoid="y"></lite-youtube>',
      [
        { type: 'image', url: 'a.png', alt: 'a' },
        { type: 'image', url: 'b.png', alt: 'b' },
        { type: 'embed', url: 'https://www.youtube.com/watch?v=x' },
        { type: 'video', url: 'c.mp4' },
        { type: 'embed', url: 'https://www.youtube.com/watch?v=y' },
      ],
    ],
    [
      'the largest picture of a choice, whose address has commas',
      '<picture><source srcset="/w_4,c_x/a.png 400w, /w_8,c_x/a.png 800w"><img alt="a"></picture><img srcset="b.png 2x,c.png, d.png 3x" alt="b">',
      [
        { type: 'image', url: '/w_8,c_x/a.png', alt: 'a' },
        { type: 'image', url: 'd.png', alt: 'b' },
      ],
    ],
    [
      'captions of figures in each other, two of one, and one without a figure',
      '<figure><figure><img src="a.png" alt=""><figcaption>a</figcaption></figure><figure><figcaption>b</figcaption><img src="b.png" alt=""><figcaption>c</figcaption></figure><figcaption>d</figcaption></figure><div><figcaption>e</figcaption></div>',
      [
        {
          type: 'gallery',
          images: [
            { type: 'image', url: 'a.png', alt: '', caption: 'a' },
            { type: 'image', url: 'b.png', alt: '', caption: ['b', { type: 'break' }, 'c'] },
          ],
          caption: 'd',
        },
        { type: 'paragraph', content: 'e' },
      ],
    ],
    [
      'a table with a form between its rows, a footer above its body and text in no cell',
      '<table><tfoot><tr><td>f<td>g</tfoot>x<form><tr><td>a<td>b</tr></form></table><table><caption>c</caption><tr><td>d</table>',
      [
        { type: 'paragraph', content: 'x' },
        { type: 'table', headers: [], rows: [['a', 'b']], footer: ['f', 'g'] },
        { type: 'table', headers: [], rows: [['d']], caption: 'c' },
      ],
    ],
    [
      'heads that span two rows, in one section with them',
      '<table><tr><th rowspan="2">a<th colspan="2">b<tr><th>c<th>d<tr><td>1<td>2<td>3</table>',
      [
        {
          type: 'table',
          headers: [],
          rows: [
            [
              { content: 'a', rowspan: 2, header: true },
              { content: 'b', colspan: 2, header: true },
            ],
            [
              { content: 'c', header: true },
              { content: 'd', header: true },
            ],
            ['1', '2', '3'],
          ],
        },
      ],
    ],
    [
      'formulas of MathJax, pandoc, Wikipedia and MathML',
      '<p><script type="math/tex">a</script> <span class="math inline">\\(b\\)</span> <img class="mwe-math-fallback-image-inline" alt="c" src="c.svg"> <math alttext="d"><mi>d</mi></math></p><script type="math/tex; mode=display">e</script>',
      [
        {
          type: 'paragraph',
          content: [
            { type: 'math', latex: 'a' },
            ' ',
            { type: 'math', latex: '\\(b\\)' },
            ' ',
            { type: 'math', latex: 'c' },
            ' ',
            { type: 'math', latex: 'd' },
          ],
        },
        { type: 'math', latex: 'e' },
      ],
    ],
    [
      'the names of headings that links lead to',
      '<p><a href="#1-a">a</a> <a href="#b">b</a> <a href="#c">c</a></p><h2 id="1-a">a</h2><h2 id="2-x"><a name="b"></a>b</h2><section id="c"><h3>c</h3></section>',
      [
        {
          type: 'paragraph',
          content: [
            { type: 'link', url: '#1-a', text: 'a' },
            ' ',
            { type: 'link', url: '#b', text: 'b' },
            ' ',
            { type: 'link', url: '#c', text: 'c' },
          ],
        },
        { type: 'heading', level: 2, text: 'a', anchor: '1-a' },
        { type: 'heading', level: 2, text: 'b', anchor: 'b' },
        { type: 'heading', level: 3, text: 'c', anchor: 'c' },
      ],
    ],
    [
      'shortcodes of WordPress that have a counterpart, and blank lines beside a paragraph',
      'a\n\nb\n\n<p>c</p>\n\n[caption id="x" align="alignleft" width="3"]<a href="/l"><img src="d.png" alt="d" /></a> e <em>f</em>[/caption]\n\n[embed]https://youtu.be/x[/embed]\n\n[video mp4="https://example.com/g.mp4?a=1&b=2" poster="https://example.com/h.jpg"][/video]',
      [
        { type: 'paragraph', content: 'a' },
        { type: 'paragraph', content: 'b' },
        { type: 'paragraph', content: 'c' },
        {
          type: 'image',
          url: 'd.png',
          alt: 'd',
          link: '/l',
          align: 'left',
          caption: ['e ', { type: 'italic', text: 'f' }],
        },
        { type: 'embed', url: 'https://youtu.be/x' },
        {
          type: 'video',
          url: 'https://example.com/g.mp4?a=1&b=2',
          poster: 'https://example.com/h.jpg',
        },
      ],
    ],
    [
      'the flat lists of Quill and Google Docs',
      '<ol><li data-list="ordered">a</li><li data-list="checked" class="ql-indent-1">b</li></ol><p>c</p><ul class="lst-kix_x1-0 start"><li>d</li></ul><ol class="lst-kix_x1-1 start" start="3"><li>e</li></ol><ul class="lst-kix_x1-0"><li>f</li></ul>',
      [
        {
          type: 'list',
          ordered: true,
          items: [{ text: 'a', items: [{ text: 'b', checked: true }], ordered: false }],
        },
        { type: 'paragraph', content: 'c' },
        {
          type: 'list',
          ordered: false,
          items: [
            { text: 'd', blocks: [{ type: 'list', ordered: true, start: 3, items: [{ text: 'e' }] }] },
            { text: 'f' },
          ],
        },
      ],
    ],
    [
      'a small picture in a line of text, which a larger one divides',
      '<p>a <img src="i.png" width="16" alt="i"> b</p><p>c <img src="j.png" width="800" alt="j"> d</p>',
      [
        {
          type: 'paragraph',
          content: ['a ', { type: 'inline_image', url: 'i.png', alt: 'i', width: 16 }, ' b'],
        },
        { type: 'paragraph', content: 'c' },
        { type: 'image', url: 'j.png', alt: 'j', width: 800 },
        { type: 'paragraph', content: 'd' },
      ],
    ],
    [
      'code of Sphinx and Quill beside the numbers of its lines, and a heading with a link to itself',
      '<div class="highlight-python"><div class="highlight"><pre><span>def</span></pre></div></div><div class="ql-code-block-container"><div class="ql-code-block">a</div><div class="ql-code-block">  b</div></div><table><tr><td class="linenos"><pre>1</pre><td class="code"><pre><code>c</code></pre></table><h2>d<a class="headerlink" href="#d">¶</a></h2>',
      [
        { type: 'code_block', value: 'def', language: 'python' },
        { type: 'code_block', value: 'a\n  b' },
        { type: 'code_block', value: 'c' },
        { type: 'heading', level: 2, text: 'd' },
      ],
    ],
    [
      'columns, buttons and a file of the block editor',
      '<!-- wp:columns --><div class="wp-block-columns"><div class="wp-block-column"><p>a</p></div><div class="wp-block-column"><p>b</p></div></div><div class="wp-block-buttons"><div class="wp-block-button"><a class="wp-block-button__link" href="/c">c</a></div></div><div class="wp-block-file"><a href="/d.pdf">d</a><a href="/d.pdf" download>Download</a></div><hr class="wp-block-separator">',
      [
        {
          type: 'columns',
          columns: [[{ type: 'paragraph', content: 'a' }], [{ type: 'paragraph', content: 'b' }]],
        },
        { type: 'buttons', buttons: [{ text: 'c', url: '/c' }] },
        { type: 'file', url: '/d.pdf', text: 'd' },
        { type: 'separator' },
      ],
    ],
  ])('reads %s', (_, markup, content) => {
    expect(blocks(markup)).toEqual(content)
    expect(codes(markup)).toEqual([])
  })

  test.each([
    [
      'Substack',
      '<p>a<a class="footnote-anchor" id="footnote-anchor-1" href="https://x.substack.com/p/y#footnote-1">1</a> b</p><div class="footnote"><a id="footnote-1" href="https://x.substack.com/p/y#footnote-anchor-1" class="footnote-number">1</a><div class="footnote-content"><p>c <a href="https://example.com/d">d</a></p></div></div>',
    ],
    [
      'Word',
      '<p>a<a href="#_ftn1" name="_ftnref1"><span><![if !supportFootnotes]><span>[1]</span><![endif]></span></a> b</p><div id="ftn1"><p><a href="#_ftnref1" name="_ftn1"><span><![if !supportFootnotes]>[1]<![endif]></span></a> c <a href="https://example.com/d">d</a></p></div>',
    ],
    [
      'Google Docs',
      '<p>a<sup><a href="#ftnt1" id="ftnt_ref1">[1]</a></sup> b</p><div><p><a href="#ftnt_ref1" id="ftnt1">[1]</a><span> c </span><a href="https://example.com/d">d</a></p></div>',
    ],
  ])('reads footnotes of %s, whose number is the place that the text leads to', (_, markup) => {
    const note = { type: 'footnote', text: ['c ', { type: 'link', url: 'https://example.com/d', text: 'd' }] }
    expect(blocks(markup)).toMatchObject([{ type: 'paragraph', content: ['a', note, ' b'] }])
  })

  test('two headings and links that lead to each other are no footnotes', () => {
    const markup =
      '<p>a <a id="toc" href="#one">1</a></p><h2><a id="one" href="#toc">1</a> b</h2><p><a id="x" href="#y">more</a> c</p><p><a id="y" href="#x">back</a> d</p>'
    expect(blocks(markup).map((block) => (block as { type: string }).type)).toEqual([
      'paragraph',
      'heading',
      'paragraph',
      'paragraph',
    ])
  })

  test('a link without words beside one with words to the same place is no loss', () => {
    const card =
      '<a href="https://example.com/a">A</a><a href="https://example.com/a" class="mixtapeImage"></a>'
    expect(html.read(`<p>${card}</p>`).warnings).toEqual([])
  })

  test('a player without an address is what it has instead', () => {
    expect(blocks('<video>Old? <a href="https://example.com/a.mp4">Watch</a></video>')).toEqual([
      {
        type: 'paragraph',
        content: ['Old? ', { type: 'link', url: 'https://example.com/a.mp4', text: 'Watch' }],
      },
    ])
  })

  test('alignment is that of what stands around a list, a quote or a cell', () => {
    const markup =
      '<div style="text-align:center"><ul><li>a</li></ul><blockquote><p>b</p></blockquote></div><table><tr align="right"><td>c</td><td>d</td></tr></table>'
    expect(blocks(markup)).toMatchObject([
      { type: 'list', items: [{ text: 'a', align: 'center' }] },
      { type: 'quote', content: [{ content: 'b', align: 'center' }] },
      { type: 'table', rows: [[{ align: 'right' }, { align: 'right' }]] },
    ])
  })

  test.each([
    [
      '<video src="a.mp4">Old? <a href="https://example.com/a.zip">Get it</a></video>',
      'format_left_out: What browsers without a player show is left out: “Old? Get it” https://example.com/a.zip.',
    ],
    [
      '<p>a</p><div role="img" aria-label="Sales" style="background-image: url(https://example.com/b.png)"></div>',
      'format_left_out: A picture in the background is left out: Sales https://example.com/b.png.',
    ],
    ['<audio>no sound</audio><p>a</p>', 'format_left_out: A player without an address is left out (audio).'],
    ['<script>x</script><p>a</p>', 'format_note: A script is left out.'],
    [
      '<p><a href="javascript:x()">a</a></p>',
      'format_left_out: A link to javascript:x() is left out, and its words are kept.',
    ],
    [
      '<p>a</p><form><select><option>b</select></form>',
      'format_left_out: A choice of a form is left out: “b”.',
    ],
    [
      '<p>a</p><!-- wp:latest-posts {"postsToShow":3} /-->',
      'format_left_out: The block “latest-posts” has no text of its own and is left out.',
    ],
    [
      '<p>a</p><iframe src="https://maps.example.com/x" title="Map"></iframe>',
      'format_changed: A frame becomes a link: https://maps.example.com/x.',
    ],
    ['<p>a</p><p style="display:none">b</p>', 'format_note: Hidden text is left out: “b”.'],
    ['<section>a<aside class="notes">b</aside></section>', 'format_note: Hidden text is left out: “b”.'],
    [
      '<table><tr><th>a</th><td><table><tr><td>b</td><td>c</td></tr></table></td></tr></table>',
      'format_changed: A cell of a table holds text only: its table stands after the table.',
    ],
    [
      '<p>Half is <math><mfrac><mn>1</mn><mn>2</mn></mfrac></math>.</p>',
      'format_left_out: A formula without its LaTeX is left as its signs, in one line: “12”.',
    ],
    [
      '<p>a</p><iframe srcdoc="<p>b</p>"></iframe>',
      'format_left_out: What stands in a frame is left out: “ b ”.',
    ],
    [
      '[gallery ids="1,2"]\n\n<code>[video id="3"]</code> [1] [sic]',
      'format_left_out: A shortcode is not run, and appears as plain text: “[gallery ids="1,2"]”.',
    ],
    [
      '<p>a</p><script src="https://gist.github.com/a/b.js"></script>',
      'format_left_out: A script that shows code is left out: https://gist.github.com/a/b.js.',
    ],
    ['<p>a <button><svg><path d="M1"/></svg></button></p>', 'format_note: An icon is left out.'],
    [
      '<p>a \\(x^2\\) <code>\\[y\\]</code> \\(</p>',
      'format_left_out: A formula in the text appears as its LaTeX source: “\\(x^2\\)”.',
    ],
    ['<p dir="rtl">a</p>', 'format_note: Text from right to left stands as the theme has it.'],
    [
      '<p>a<sup><a href="#cmnt1" id="cmnt_ref1">[a]</a></sup></p><div><p><a href="#cmnt_ref1" id="cmnt1">[a]</a> b</p></div>',
      'format_note: A comment of an editor is left out: “[a] b”.',
    ],
    [
      '<ol><li>a</li><li value="9">b</li></ol>',
      'format_changed: An item of a list has a number of its own, which becomes the next one.',
    ],
    [
      '<p>a<a href="https://example.com"></a></p>',
      'format_left_out: A link without words is left out: https://example.com.',
    ],
    [
      '<blockquote cite="https://example.com/b"><p>a</p></blockquote>',
      'format_left_out: The address of a source is left out: https://example.com/b.',
    ],
    [
      '<ol type="a"><li>a</ol>',
      'format_changed: The letters, Roman or falling numbers of a list become 1, 2, 3.',
    ],
    [
      '<ol><li style="list-style-type: lower-roman">a</ol>',
      'format_changed: The letters, Roman or falling numbers of a list become 1, 2, 3.',
    ],
    [
      '<p class="has-drop-cap">a</p>',
      'format_changed: Colours, sizes and typefaces of letters are not kept.',
    ],
    [
      '<p style="color: black">a <span style="color: #c00">b</span></p>',
      'format_changed: Colours, sizes and typefaces of letters are not kept.',
    ],
    [
      '<p>a</p><!--nextpage--><p>b</p>',
      'format_changed: The text is not divided: a mark of WordPress for its beginning or its pages is left out.',
    ],
    ['<img alt="b">a', 'format_left_out: A picture without an address is left out: “b”.'],
  ])('says what it leaves out of %s', (markup, warning) => expect(codes(markup)).toEqual([warning]))

  test('reads how text stands, of headings, quotes, items and cells', () => {
    const markup =
      '<h2 style="text-align: center">a</h2><div align="justify"><h3>b</h3></div>' +
      '<blockquote style="text-align:right"><p>c</p></blockquote><ul><li align="center">d</li></ul>' +
      '<table><tr><td><p align="right">e</p></td><td>f</td></tr></table>'
    expect(html.read(markup).content).toEqual([
      { type: 'heading', level: 2, text: 'a', align: 'center' },
      { type: 'heading', level: 3, text: 'b', align: 'justify' },
      { type: 'quote', content: [{ type: 'paragraph', content: 'c', align: 'right' }] },
      { type: 'list', ordered: false, items: [{ text: 'd', align: 'center' }] },
      { type: 'table', headers: [], rows: [[{ content: 'e', align: 'right' }, 'f']] },
    ])
  })

  test('reads title and description of a whole page', () => {
    const page =
      '<!doctype html><html><head><title>A\n b</title><meta name="description" content="c"></head><body><p>d</p>'
    expect(html.read(page)).toEqual({
      meta: { title: 'A b', description: 'c' },
      content: [{ type: 'paragraph', content: 'd' }],
      warnings: [],
    })
  })

  test.each([
    ['end tags without elements', '<i></b>'.repeat(150_000)],
    ['elements inside each other', '<div>'.repeat(100_000)],
  ])('refuses %s', (_, markup) => expect(() => html.read(markup)).toThrow(LimitError))

  test('a footnote that refers to itself ends', () => {
    const markup =
      '<p>a<a id="r" href="#n">1</a></p><ol><li id="n">b<a href="#n">1</a> <a href="#r">↩</a></li></ol>'
    expect(JSON.stringify(blocks(markup))).toContain('"footnote"')
  })

  test.each([
    ['an abbreviation', '<abbr title="HyperText">HT</abbr>', 'HyperText'],
    [
      'areas of a picture',
      '<map><area href="https://example.com/a" alt="North"></map>',
      'North https://example.com/a',
    ],
    ['a field', '<input value="typed">', 'typed'],
    [
      'what is shown without scripts',
      '<noscript>Old <a href="https://example.com/a">b</a></noscript>',
      'Old b https://example.com/a',
    ],
  ])('names what is lost of %s', (_, markup, lost) => {
    expect(codes(`<p>a</p>${markup}`)).toEqual([expect.stringMatching(`^format_left_out: .*“${lost}”`)])
  })
})

test('an element that has the name of a member of every object is a container', () => {
  expect(blocks('<constructor><p>a <constructor>b</constructor></p></constructor>')).toEqual([
    { type: 'paragraph', content: 'a b' },
  ])
})

test('code of Medium keeps its language, and words beside columns stay', () => {
  expect(
    blocks('<pre data-code-block-lang="python"><span class="pre--content">f()<br>g()</span></pre>'),
  ).toEqual([{ type: 'code_block', value: 'f()\ng()', language: 'python' }])
  expect(blocks('<div class="wp-block-columns">a<div class="wp-block-column"><p>b</p></div></div>')).toEqual([
    {
      type: 'columns',
      columns: [[{ type: 'paragraph', content: 'a' }], [{ type: 'paragraph', content: 'b' }]],
    },
  ])
})

test('the classes of Google Docs are formats, which the style sheet says beside them', () => {
  const page =
    '<head><style>.c1{font-weight:700}.c2{color:#000;text-align:center}</style></head><p class="c2">a <span class="c1">b</span></p>'
  expect(blocks(page)).toEqual([
    { type: 'paragraph', content: ['a ', { type: 'bold', text: 'b' }], align: 'center' },
  ])
})

test.each([
  ['pictures', 150, '<img src="a.png">', (all: string) => all],
  [
    'links to notes',
    150,
    '<a href="#x">1</a>',
    (all: string) => `<p>${all}</p><ol><li id="x">${all}</li></ol>`,
  ],
  ['captions that do not end', 500, '[caption]', (all: string) => all],
])('takes as long as the text is: %s', (_, least, part, around) => {
  expect(growth(readHtml, (size) => around(part.repeat(size)), least)).toBeLessThan(NOT_LINEAR)
})

test.each([
  [
    'the media of CKEditor',
    '<figure class="media"><oembed url="https://www.youtube.com/watch?v=pwChk4S99i4"></oembed></figure>',
    [{ type: 'embed', url: 'https://www.youtube.com/watch?v=pwChk4S99i4' }],
  ],
  [
    'alignment, lists and formulas of Quill',
    '<p class="ql-align-center">a <span class="ql-formula" data-value="x^2"></span></p><ol><li data-list="bullet">b</li></ol>',
    [
      { type: 'paragraph', content: ['a ', { type: 'math', latex: 'x^2' }], align: 'center' },
      { type: 'list', ordered: false, items: [{ text: 'b' }] },
    ],
  ],
])('reads %s', (_, markup, content) => expect(blocks(markup)).toEqual(content))

test('the address of an element that nobody knows is named', () => {
  expect(
    codes('<ac:image><ri:url ri:value="https://example.com/c.png"></ri:url></ac:image><p>a</p>'),
  ).toEqual([
    'format_left_out: “ri:url” is not known, and its address is left out: https://example.com/c.png.',
  ])
})
