<?php
/*
 * Must-use plugin for the tests, beside galley-test.php and in its way: what other plugins of the kinds there do.
 * Without the header X-Galley-Test it does nothing.
 */
(function () {
  if (defined('GALLEY_TEST_SIBLINGS')) {
    return;
  }
  define('GALLEY_TEST_SIBLINGS', true);
  $asked = [];
  foreach (explode(',', $_SERVER['HTTP_X_GALLEY_TEST'] ?? '') as $part) {
    [$what, $word] = explode(':', "$part:");
    $asked[$what] = $word;
  }
  $when = function ($what, $act) use ($asked) {
    if (isset($asked[$what])) {
      $act($asked[$what]);
    }
  };
  $rest = strpos($_SERVER['REQUEST_URI'] ?? '', '/wp-json') === 0;
  $data = function ($change) {
    add_filter('wp_insert_post_data', function ($data, $given) use ($change) {
      return $data['post_type'] === 'post' ? $change($data, $given) : $data;
    }, 10, 2);
  };

  // SLUGS
  // The number of the post behind every slug.
  $when('numbers-slugs', function () {
    add_filter('wp_unique_post_slug', function ($slug, $id, $status, $type) {
      return $type === 'post' && !preg_match("/-$id\$/", $slug) ? "$slug-$id" : $slug;
    }, 10, 4);
  });
  $when('dates-slugs', function () {
    add_filter('wp_unique_post_slug', function ($slug, $id, $status, $type) {
      return $type === 'post' && !preg_match('/-20\d\d$/', $slug) ? $slug . gmdate('-Y') : $slug;
    }, 10, 4);
  });
  $when('prefixes-slugs', function () use ($data) {
    $data(function ($data) {
      if ($data['post_name'] !== '' && strpos($data['post_name'], 'en-') !== 0) {
        $data['post_name'] = "en-{$data['post_name']}";
      }
      return $data;
    });
  });
  $when('shortens-slugs', function () use ($data) {
    $data(function ($data) {
      $data['post_name'] = rtrim(substr($data['post_name'], 0, 20), '-');
      return $data;
    });
  });
  $when('random-slugs', function () use ($data) {
    $data(function ($data) {
      if (!preg_match('/^p[0-9a-f]{8}$/', $data['post_name'])) {
        $data['post_name'] = 'p' . substr(md5(uniqid('', true)), 0, 8);
      }
      return $data;
    });
  });
  // TITLES
  $when('capitalises-titles', function () use ($data) {
    $data(function ($data) {
      $data['post_title'] = ucwords($data['post_title']);
      return $data;
    });
  });
  $when('prefixes-titles', function () use ($data) {
    $data(function ($data) {
      $data['post_title'] = 'News: ' . preg_replace('/^News: /', '', $data['post_title']);
      return $data;
    });
  });
  // As plugins that name every post by a number of their own.
  $when('replaces-titles', function () use ($data) {
    $data(function ($data) {
      if (strpos($data['post_title'], 'Item ') !== 0) {
        $data['post_title'] = 'Item ' . substr(md5(uniqid('', true)), 0, 6);
      }
      return $data;
    });
  });
  // What was asked for is made, and the answer shows another one: the word is its number.
  $answersWith = function ($base, $id) {
    add_filter('rest_post_dispatch', function ($response, $server, $request) use ($base, $id) {
      static $busy = false;
      if ($busy || $request->get_method() !== 'POST' || $request->get_route() !== "/wp/v2/$base" || $response->is_error()) {
        return $response;
      }
      $busy = true;
      $other = new WP_REST_Request('GET', "/wp/v2/$base/$id");
      $other['context'] = 'edit';
      $answer = rest_do_request($other);
      $busy = false;
      $answer->set_status(201);
      return $answer;
    }, 10, 3);
  };
  $when('answers-with-post', function ($id) use ($answersWith) {
    $answersWith('posts', $id);
  });
  $when('answers-with-file', function ($id) use ($answersWith) {
    $answersWith('media', $id);
  });
  $when('refuses-same-titles', function () {
    add_filter('rest_pre_insert_post', function ($post) {
      $title = $post->post_title ?? '';
      $found = $title === '' ? [] : get_posts(['post_type' => 'post', 'post_status' => 'any', 'title' => $title, 'numberposts' => 5]);
      $others = array_filter($found, function ($other) use ($post) {
        return $other->ID !== ($post->ID ?? 0);
      });
      return $others ? new WP_Error('duplicate_title', 'A post with this title exists already.', ['status' => 400]) : $post;
    });
  });
  // CONTENT
  $when('strips-blocks', function () use ($data) {
    $data(function ($data) {
      $data['post_content'] = preg_replace('/<!--.*?-->\s*/s', '', $data['post_content']);
      return $data;
    });
  });
  $when('fills-new-drafts', function () use ($data) {
    $data(function ($data) {
      if ($data['post_content'] === '') {
        $data['post_content'] = '<!-- wp:paragraph --><p>Write here, and mind the house style.</p><!-- /wp:paragraph -->';
      }
      return $data;
    });
  });
  $when('counts-reads', function () {
    add_filter('rest_prepare_post', function ($response) {
      $data = $response->get_data();
      if (isset($data['content']['raw'])) {
        $data['content']['raw'] .= '<!-- read ' . microtime(true) . ' -->';
        $response->set_data($data);
      }
      return $response;
    }, 99);
  });
  $when('other-picture-addresses', function () use ($data) {
    $data(function ($data) {
      $data['post_content'] = preg_replace('#http://[^/"]+/wp-content#', 'https://cdn.example/wp-content', $data['post_content']);
      return $data;
    });
  });
  // STATUS
  $status = function ($from, $to) use ($data) {
    $data(function ($data) use ($from, $to) {
      if ($data['post_status'] === $from && $data['post_content'] !== '') {
        $data['post_status'] = $to;
      }
      return $data;
    });
  };
  $when('draft-becomes-private', function () use ($status) {
    $status('draft', 'private');
  });
  $when('draft-becomes-pending', function () use ($status) {
    $status('draft', 'pending');
  });
  $when('new-becomes-private', function () use ($data) {
    $data(function ($data) {
      if ($data['post_status'] === 'draft') {
        $data['post_status'] = 'private';
      }
      return $data;
    });
  });
  $when('trashes', function () {
    add_action('rest_after_insert_post', function ($post) {
      if ($post->post_content !== '') {
        wp_trash_post($post->ID);
      }
    });
  });
  // What is done to a post once its answer is as good as made: that shows what was saved.
  $afterwards = function ($change) {
    add_action('rest_after_insert_post', function ($post) use ($change) {
      if ($post->post_content !== '') {
        $change($post);
      }
    });
  };
  $when('deletes-afterwards', function () use ($afterwards) {
    $afterwards(function ($post) {
      wp_delete_post($post->ID, true);
    });
  });
  $when('publishes-afterwards', function () use ($afterwards) {
    $afterwards(function ($post) {
      wp_publish_post($post->ID);
    });
  });
  $when('unpublishes-afterwards', function () use ($afterwards) {
    $afterwards(function ($post) {
      wp_update_post(['ID' => $post->ID, 'post_status' => 'draft']);
    });
  });
  $when('trims-afterwards', function () use ($afterwards) {
    $afterwards(function ($post) {
      wp_update_post(['ID' => $post->ID, 'post_content' => substr($post->post_content, 0, 60)]);
    });
  });
  $when('adds-afterwards', function () use ($afterwards) {
    $afterwards(function ($post) {
      wp_update_post(wp_slash(['ID' => $post->ID, 'post_content' => $post->post_content . "\n\n<p>Read more of this.</p>"]));
    });
  });
  $when('becomes-page', function () use ($afterwards) {
    $afterwards(function ($post) {
      set_post_type($post->ID, 'page');
    });
  });
  $when('copies-on-publish', function () {
    add_action('transition_post_status', function ($new, $old, $post) {
      static $busy = false;
      if ($new === 'publish' && $old !== 'publish' && $post->post_type === 'post' && !$busy) {
        $busy = true;
        wp_insert_post(wp_slash(['post_title' => $post->post_title, 'post_name' => $post->post_name, 'post_content' => $post->post_content,
          'post_excerpt' => $post->post_excerpt, 'post_status' => 'publish', 'post_author' => $post->post_author]));
        $busy = false;
      }
    }, 10, 3);
  });
  // As multilingual plugins that keep one post for each language: a new one gets a sibling, of the same slug, to be translated.
  $when('makes-translations', function () {
    add_action('wp_insert_post', function ($id, $post, $update) {
      static $busy = false;
      if (!$update && $post->post_type === 'post' && $post->post_status !== 'auto-draft' && !$busy) {
        $busy = true;
        wp_insert_post(wp_slash(['post_title' => "$post->post_title (fr)", 'post_name' => $post->post_name, 'post_status' => 'draft',
          'post_author' => $post->post_author]));
        $busy = false;
      }
    }, 10, 3);
  });
  // The same with the files of the library, as they do where media are translated.
  $when('copies-files', function () {
    add_action('add_attachment', function ($id) {
      static $busy = false;
      if (!$busy) {
        $busy = true;
        $file = get_post($id, ARRAY_A);
        $copy = wp_insert_attachment(wp_slash(['ID' => 0, 'guid' => ''] + $file), get_attached_file($id), $file['post_parent']);
        wp_update_attachment_metadata($copy, wp_get_attachment_metadata($id) ?: []);
        $busy = false;
      }
    });
  });
  $when('refuses-to-publish-by-200', function () {
    add_filter('rest_pre_insert_post', function ($post) {
      if (($post->post_status ?? '') === 'publish') {
        wp_send_json_error('Posts need at least 300 words before they can be published.');
      }
      return $post;
    });
  });
  $when('sets-password', function () use ($data) {
    $data(function ($data) {
      if ($data['post_status'] === 'publish') {
        $data['post_password'] = 'members';
      }
      return $data;
    });
  });
  // REFUSALS OF PUBLISHING
  foreach ([400, 403, 409, 422] as $code) {
    $when("refuses-short-$code", function () use ($code) {
      add_filter('rest_pre_insert_post', function ($post) use ($code) {
        return ($post->post_status ?? '') === 'publish'
          ? new WP_Error('min_words_not_met', 'Posts need at least 300 words before they can be published.', ['status' => $code])
          : $post;
      });
    });
  }
  // As checklists that ask for more than a picture before a post is published.
  $refuseWithout = function ($what, $has) {
    add_filter('rest_pre_insert_post', function ($post, $request) use ($what, $has) {
      return ($post->post_status ?? '') === 'publish' && !$has($post, $request)
        ? new WP_Error('checklist_incomplete', "Before you publish, add $what.", ['status' => 400]) : $post;
    }, 10, 2);
  };
  $when('refuses-without-excerpt', function () use ($refuseWithout) {
    $refuseWithout('an excerpt', function ($post) {
      return trim($post->post_excerpt ?? get_post_field('post_excerpt', $post->ID ?? 0)) !== '';
    });
  });
  $when('refuses-without-category', function () use ($refuseWithout) {
    $refuseWithout('a category of your own', function ($post, $request) {
      $chosen = $request['categories'] ?? wp_get_post_categories($post->ID ?? 0);
      return array_diff(array_map('intval', $chosen), [(int) get_option('default_category')]) !== [];
    });
  });
  $when('refuses-content-403', function () {
    add_filter('rest_pre_insert_post', function ($post) {
      return ($post->post_content ?? '') !== ''
        ? new WP_Error('bad_words', 'The text has a word that is not wanted here: version.', ['status' => 403])
        : $post;
    });
  });
  // ANSWERS
  $when('bom', function () use ($rest) {
    if ($rest) {
      echo "\u{FEFF}\u{FEFF}";
    }
  });
  $when('notices', function () use ($rest) {
    if ($rest) {
      echo "<br />\n<b>Deprecated</b>:  Creation of dynamic property A::\$b is deprecated in <b>/a/b.php</b> on line <b>3</b><br />\nNotice: Undefined index: {x} [y]\n";
    }
  });
  $when('caches-get-by-route', function ($word) {
    $key = function ($request) use ($word) {
      return 'galley_test_get_' . md5($word . $request->get_route());
    };
    add_filter('rest_pre_dispatch', function ($result, $server, $request) use ($key) {
      $kept = $request->get_method() === 'GET' && strpos($request->get_route(), '/wp/v2') === 0 ? get_transient($key($request)) : false;
      return $kept === false ? $result : new WP_REST_Response($kept, 200);
    }, 10, 3);
    add_filter('rest_post_dispatch', function ($response, $server, $request) use ($key) {
      if ($request->get_method() === 'GET' && !$response->is_error()) {
        set_transient($key($request), $server->response_to_data($response, false), 300);
      }
      return $response;
    }, 10, 3);
  });
  // As page caches, which keep by address what visitors are answered. One stays out where it is asked to, one asks nobody.
  $cachePages = function ($word) {
    $signedIn = array_filter(['HTTP_AUTHORIZATION', 'PHP_AUTH_USER', 'HTTP_COOKIE'], function ($name) {
      return !empty($_SERVER[$name]);
    });
    if ($_SERVER['REQUEST_METHOD'] !== 'GET' || $signedIn) {
      return;
    }
    $key = 'galley_test_page_' . md5($word . $_SERVER['REQUEST_URI']);
    $kept = get_transient($key);
    if ($kept !== false) {
      array_map('header', $kept['headers']);
      http_response_code($kept['status']);
      exit($kept['body']);
    }
    ob_start(function ($body) use ($key) {
      set_transient($key, ['status' => http_response_code(), 'headers' => headers_list(), 'body' => $body], 300);
      return $body;
    });
  };
  $when('caches-pages', function ($word) use ($cachePages) {
    if (strpos($_SERVER['HTTP_CACHE_CONTROL'] ?? '', 'no-cache') === false) {
      $cachePages($word);
    }
  });
  $when('caches-pages-unasked', function ($word) use ($cachePages) {
    $cachePages($word);
  });
  $when('relative-addresses', function () {
    add_filter('wp_get_attachment_url', 'wp_make_link_relative');
    add_filter('post_link', 'wp_make_link_relative');
  });
  // As pages “coming soon”: shown to visitors in the place of the first page, with HTTP 200.
  $inPlace = function ($html) {
    add_action('template_redirect', function () use ($html) {
      if (!is_user_logged_in()) {
        exit("<html><head><title>Soon</title>$html</head><body><form><input type='password' name='pwd'></form></body></html>");
      }
    });
  };
  $when('coming-soon', function () use ($inPlace) {
    $inPlace('<link rel="stylesheet" href="/wp-content/plugins/soon/soon.css">');
  });
  $when('login-in-place', function () use ($inPlace) {
    $inPlace('<meta name="generator" content="WordPress 6.8"><link rel="stylesheet" href="' . admin_url('css/login.min.css') . '">');
  });
  $when('protocol-relative', function () {
    add_filter('wp_get_attachment_url', function ($url) {
      return preg_replace('#^https?:#', '', $url);
    });
  });
  // ROUTES
  $when('forbids-deleting', function () {
    add_filter('rest_pre_dispatch', function ($result, $server, $request) {
      return $request->get_method() === 'DELETE'
        ? new WP_Error('rest_cannot_delete', 'Deleting is switched off on this site.', ['status' => 403]) : $result;
    }, 10, 3);
  });
  // HOOKS THAT THROW
  $when('throws-on-publish', function () {
    add_action('transition_post_status', function ($new, $old, $post) {
      if ($new === 'publish' && $old !== 'publish' && $post->post_type === 'post') {
        throw new RuntimeException('No token for the social network.');
      }
    }, 10, 3);
  });
  $when('throws-on-terms', function () {
    add_action('set_object_terms', function ($id, $terms, $ids, $taxonomy) {
      if ($taxonomy === 'category' && get_post_field('post_content', $id) !== '') {
        throw new RuntimeException('Cannot index.');
      }
    }, 10, 4);
  });
  // FILES
  $when('moves-to-cdn', function () {
    add_filter('wp_get_attachment_url', function ($url) {
      return preg_replace('#^https?://[^/]+/wp-content/uploads/#', 'https://cdn.example/files/', $url);
    });
  });
  $convert = function ($ending, $read) {
    add_filter('wp_handle_upload', function ($upload) use ($ending, $read) {
      $image = preg_match($ending, $upload['file']) ? @$read($upload['file']) : false;
      if (!$image) {
        return $upload;
      }
      $name = preg_replace($ending, '.webp', $upload['file']);
      imagepalettetotruecolor($image);
      imagewebp($image, $name);
      unlink($upload['file']);
      return ['file' => $name, 'url' => preg_replace($ending, '.webp', $upload['url']), 'type' => 'image/webp'];
    });
  };
  $when('converts-to-webp', function () use ($convert) {
    $convert('/\.png$/', 'imagecreatefrompng');
  });
  // As converters that leave PNG alone.
  $when('converts-jpeg-to-webp', function () use ($convert) {
    $convert('/\.jpe?g$/', 'imagecreatefromjpeg');
  });
  $when('refuses-webp', function () {
    add_filter('upload_mimes', function ($types) {
      unset($types['webp']);
      return $types;
    });
  });
  // A server whose image library knows no WebP: WordPress itself refuses it then (6.8 and later).
  $when('cannot-edit-webp', function () {
    add_filter('wp_image_editors', function ($editors) {
      return ($_FILES['file']['type'] ?? '') === 'image/webp' ? [] : $editors;
    });
  });
  // As plugins that tidy extensions up.
  $when('lengthens-extensions', function () {
    add_filter('wp_handle_upload_prefilter', function ($file) {
      $file['name'] = preg_replace('/\.jpg$/', '.jpeg', $file['name']);
      return $file;
    });
  });
  // Photos are renamed, and nothing else.
  $when('renames-photos', function () {
    add_filter('wp_handle_upload_prefilter', function ($file) {
      if ($file['type'] === 'image/jpeg') {
        $file['name'] = 'photo-' . substr(md5(uniqid('', true)), 0, 8) . '.jpg';
      }
      return $file;
    });
    add_filter('wp_insert_attachment_data', function ($data) {
      if ($data['post_mime_type'] === 'image/jpeg') {
        $data['post_name'] = 'photo-' . mt_rand(1000, 9999);
      }
      return $data;
    });
  });
  $when('renames-files', function () {
    add_filter('wp_handle_upload_prefilter', function ($file) {
      $file['name'] = md5(uniqid('', true)) . '.' . pathinfo($file['name'], PATHINFO_EXTENSION);
      return $file;
    });
    add_filter('wp_handle_sideload_prefilter', function ($file) {
      $file['name'] = md5(uniqid('', true)) . '.' . pathinfo($file['name'], PATHINFO_EXTENSION);
      return $file;
    });
  });
  // As Media Deduper, which refuses what the library has already.
  $when('refuses-same-files', function () {
    add_filter('wp_handle_upload_prefilter', function ($file) {
      $hash = md5_file($file['tmp_name']);
      $known = get_posts(['post_type' => 'attachment', 'post_status' => 'any', 'fields' => 'ids', 'numberposts' => 1,
        'meta_key' => 'galley_test_refused', 'meta_value' => $hash]);
      if ($known) {
        $file['error'] = "This file is in your media library already, as item $known[0].";
      }
      add_action('add_attachment', function ($id) use ($hash) {
        add_post_meta($id, 'galley_test_refused', $hash);
      });
      return $file;
    });
  });
  // A cache that looks at the address of uploads alone, and not at its query.
  $when('caches-uploads', function ($word) {
    $key = 'galley_test_upload_' . md5($word);
    $isUpload = function ($request) {
      return $request->get_method() === 'POST' && $request->get_route() === '/wp/v2/media';
    };
    add_filter('rest_pre_dispatch', function ($result, $server, $request) use ($key, $isUpload) {
      $kept = $isUpload($request) ? get_transient($key) : false;
      return $kept === false ? $result : new WP_REST_Response($kept, 201);
    }, 10, 3);
    add_filter('rest_post_dispatch', function ($response, $server, $request) use ($key, $isUpload) {
      if ($isUpload($request) && !$response->is_error()) {
        set_transient($key, $server->response_to_data($response, false), 300);
      }
      return $response;
    }, 10, 3);
  });
  $when('drops-alt', function () {
    add_filter('update_post_metadata', function ($result, $id, $key) {
      return $key === '_wp_attachment_image_alt' ? false : $result;
    }, 10, 3);
    add_filter('add_post_metadata', function ($result, $id, $key) {
      return $key === '_wp_attachment_image_alt' ? false : $result;
    }, 10, 3);
  });
  $when('detaches-files', function () {
    add_filter('wp_insert_attachment_data', function ($data) {
      $data['post_parent'] = 0;
      return $data;
    });
  });
  $when('needs-alt', function () {
    add_filter('rest_pre_insert_attachment', function ($file, $request) {
      return $request['alt_text'] ? $file : new WP_Error('alt_text_required', 'A picture needs alternative text.', ['status' => 400]);
    }, 10, 2);
  });
  $when('adds-tags', function () {
    add_action('save_post_post', function ($id, $post) {
      if ($post->post_content !== '') wp_set_post_tags($id, ['auto tagged'], true);
    }, 99, 2);
    add_action('rest_after_insert_post', function ($post) {
      if ($post->post_content !== '') wp_set_post_tags($post->ID, ['auto tagged'], true);
    });
  });
  // One author for the whole site.
  $when('site-author', function () use ($data) {
    $data(function ($data) {
      $data['post_author'] = 1;
      return $data;
    });
  });
  // LATER
  // What plugins do once the answer is out, as those do that send posts to a service and write back what it says.
  $later = function ($change, $milliseconds = 400) {
    add_action('rest_after_insert_post', function ($post) use ($change, $milliseconds) {
      if ($post->post_content !== '') {
        add_action('shutdown', function () use ($change, $milliseconds, $post) {
          if (function_exists('fastcgi_finish_request')) {
            fastcgi_finish_request();
          }
          usleep($milliseconds * 1000);
          $change($post);
        });
      }
    });
  };
  $when('trims-later', function ($milliseconds) use ($later) {
    $later(function ($post) {
      wp_update_post(['ID' => $post->ID, 'post_content' => substr($post->post_content, 0, 60)]);
    }, (int) $milliseconds ?: 400);
  });
  $when('adds-later', function () use ($later) {
    $later(function ($post) {
      wp_update_post(wp_slash(['ID' => $post->ID, 'post_content' => $post->post_content . "\n\n<p>Read more of this.</p>"]));
    });
  });
  $when('publishes-later', function () use ($later) {
    $later(function ($post) {
      wp_publish_post($post->ID);
    });
  });
  // WHAT A USER MAY NOT READ
  $closed = function ($pattern, $methods, $error) {
    add_filter('rest_pre_dispatch', function ($result, $server, $request) use ($pattern, $methods, $error) {
      return in_array($request->get_method(), $methods, true) && preg_match($pattern, $request->get_route())
        ? $error : $result;
    }, 10, 3);
  };
  $when('forbids-listing-media', function () use ($closed) {
    $closed('#^/wp/v2/media$#', ['GET'], new WP_Error('rest_forbidden', 'The media library is for administrators.', ['status' => 403]));
  });
  $when('forbids-reading-media', function () use ($closed) {
    $closed('#^/wp/v2/media#', ['GET'], new WP_Error('rest_forbidden', 'The media library is for administrators.', ['status' => 403]));
  });
  // As Solid Security with restricted access to the REST API, for whoever may not edit terms.
  $when('forbids-reading-terms', function () use ($closed) {
    $closed('#^/wp/v2/(categories|tags)#', ['GET', 'POST'], new WP_Error('itsec_rest_api_access_restricted',
      'You do not have sufficient permission to access this endpoint.', ['status' => 403]));
  });
  // As WP Cerber, “Block access to users' data via REST API”: with a page of its own, for all but administrators.
  $when('blocks-users', function () use ($rest) {
    if ($rest && strpos($_SERVER['REQUEST_URI'], '/wp-json/wp/v2/users') === 0) {
      add_action('init', function () {
        status_header(403);
        exit('<html><head><title>403 Access Forbidden</title></head><body><h1>We\'re sorry, you are not allowed to proceed</h1></body></html>');
      });
    }
  });
  // As snippets do that take the routes away.
  $when('removes-users', function () {
    add_filter('rest_endpoints', function ($endpoints) {
      foreach (array_keys($endpoints) as $route) {
        if (strpos($route, '/wp/v2/users') === 0) {
          unset($endpoints[$route]);
        }
      }
      return $endpoints;
    });
  });
  // As SEO plugins that keep their description from the REST API: known by their routes, or by a mark in the head of pages.
  $when('seo-plugin', function ($namespace) {
    add_action($namespace === '' ? 'wp_head' : 'rest_api_init', function () use ($namespace) {
      if ($namespace === '') {
        echo "<!-- The SEO Framework by Sybre Waaijer -->\n";
        return;
      }
      register_rest_route($namespace, '/galley-test', ['methods' => 'GET', 'permission_callback' => '__return_true', 'callback' => '__return_empty_array']);
    });
  });
  // As Advanced Custom Fields with a required field in a group that is not shown in the REST API: its own field is there,
  // and nothing in it (written from its source, class-acf-rest-api.php).
  $when('hidden-fields', function () {
    add_filter('rest_pre_dispatch', function ($result) {
      register_rest_field('post', 'acf', [
        'get_callback' => '__return_empty_array',
        'schema' => ['description' => 'ACF field data', 'type' => 'object', 'properties' => []],
      ]);
      return $result;
    });
  });
  // As Classic Editor: the block editor is off, which nothing shows over the REST API but to administrators.
  $when('classic-editor', function () {
    add_filter('use_block_editor_for_post_type', '__return_false', 100);
    add_filter('use_block_editor_for_post', '__return_false', 100);
    add_filter('rest_request_after_callbacks', function ($response, $handler, $request) {
      return $request->get_route() === '/wp/v2/plugins' && !is_wp_error($response)
        ? new WP_REST_Response([['plugin' => 'classic-editor/classic-editor', 'status' => 'active']]) : $response;
    }, 10, 3);
  });
  // NEW DRAFTS
  $when('refuses-empty-drafts', function () {
    add_filter('rest_pre_insert_post', function ($post) {
      return trim(wp_strip_all_tags($post->post_content ?? get_post_field('post_content', $post->ID ?? 0))) === ''
        ? new WP_Error('post_empty', 'A post needs a text before it can be saved.', ['status' => 400]) : $post;
    });
  });
  $when('new-becomes-page', function () {
    add_filter('wp_insert_post_data', function ($data) {
      if ($data['post_type'] === 'post' && $data['post_status'] === 'draft') {
        $data['post_type'] = 'page';
      }
      return $data;
    });
  });
})();
