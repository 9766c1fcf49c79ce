/**
 * One of each kind of block, with the things in them that firewalls dislike. What is shown here is markup as
 * the block editor saves it; the code is what a document about programming may well have in it.
 */
export const sampleBlocks = {
  paragraph:
    '<!-- wp:paragraph -->\n<p>A <strong>connection</strong> <em>check</em>.</p>\n<!-- /wp:paragraph -->',
  link: '<!-- wp:paragraph -->\n<p><a href="https://example.com/?a=1&amp;b=2">A link</a></p>\n<!-- /wp:paragraph -->',
  heading:
    '<!-- wp:heading {"level":3} -->\n<h3 class="wp-block-heading">A heading</h3>\n<!-- /wp:heading -->',
  list: '<!-- wp:list -->\n<ul class="wp-block-list"><!-- wp:list-item -->\n<li>An item</li>\n<!-- /wp:list-item --></ul>\n<!-- /wp:list -->',
  table:
    '<!-- wp:table -->\n<figure class="wp-block-table"><table class="has-fixed-layout"><tbody><tr><td>A cell</td></tr></tbody></table></figure>\n<!-- /wp:table -->',
  quote:
    '<!-- wp:quote -->\n<blockquote class="wp-block-quote"><!-- wp:paragraph -->\n<p>A quote</p>\n<!-- /wp:paragraph --></blockquote>\n<!-- /wp:quote -->',
  image:
    '<!-- wp:image -->\n<figure class="wp-block-image"><img src="https://example.com/picture.png" alt="A picture"/></figure>\n<!-- /wp:image -->',
  audio:
    '<!-- wp:audio -->\n<figure class="wp-block-audio"><audio controls src="https://example.com/audio.mp3"></audio></figure>\n<!-- /wp:audio -->',
  code: '<!-- wp:code -->\n<pre class="wp-block-code"><code>SELECT name FROM users WHERE id = 1; &lt;script&gt;alert(1)&lt;/script&gt;</code></pre>\n<!-- /wp:code -->',
}

export type SampleBlock = keyof typeof sampleBlocks

/** Without block comments: tells a firewall that dislikes those from one that dislikes all writing. */
export const plainText = '<p>A connection check.</p>'

export const allBlocks = Object.values(sampleBlocks).join('\n\n')
