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
  $writes = $rest && ($_SERVER['REQUEST_METHOD'] ?? '') === 'POST';
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
  $when('adds-paragraphs', function () use ($data) {
    $data(function ($data) {
      $data['post_content'] = wp_slash(wpautop(wp_unslash($data['post_content'])));
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
  $when('adds-notice', function () use ($data) {
    $data(function ($data) {
      if (strpos($data['post_content'], 'Copyright') === false) {
        $data['post_content'] .= '<p>Copyright by the editors.</p>';
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
  $when('publish-becomes-pending', function () use ($status) {
    $status('publish', 'pending');
  });
  $when('publish-becomes-private', function () use ($status) {
    $status('publish', 'private');
  });
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
  $when('needs-text', function () {
    add_filter('rest_pre_insert_post', function ($post) {
      return ($post->post_content ?? get_post_field('post_content', $post->ID ?? 0)) === ''
        ? new WP_Error('text_required', 'A post needs a text before it can be saved.', ['status' => 400]) : $post;
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
  $when('duplicates-posts', function () {
    $copy = function ($id, $post) use (&$copy) {
      if ($post->post_type !== 'post' || $post->post_status === 'auto-draft' || get_post_meta($id, 'galley_copy', true)) {
        return;
      }
      remove_action('save_post', $copy);
      $made = wp_insert_post(['post_title' => $post->post_title, 'post_name' => $post->post_name, 'post_status' => 'draft', 'post_type' => 'post']);
      update_post_meta($id, 'galley_copy', $made);
      update_post_meta($made, 'galley_copy', $id);
      add_action('save_post', $copy, 10, 2);
    };
    add_action('save_post', $copy, 10, 2);
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
  $when('refuses-content-403', function () {
    add_filter('rest_pre_insert_post', function ($post) {
      return ($post->post_content ?? '') !== ''
        ? new WP_Error('bad_words', 'The text has a word that is not wanted here: version.', ['status' => 403])
        : $post;
    });
  });
  $when('refuses-by-200', function () {
    add_filter('rest_request_before_callbacks', function ($response, $handler, $request) {
      if ($request->get_method() === 'POST' && $request->get_route() !== '/batch/v1') {
        wp_send_json(['success' => false, 'data' => 'Blocked by the security policy of this site.'], 200);
      }
      return $response;
    }, 10, 3);
  });
  $when('refuses-by-403-json', function () {
    add_filter('rest_request_before_callbacks', function ($response, $handler, $request) {
      if ($request->get_method() === 'POST') {
        wp_send_json_error('Blocked by the security policy of this site.', 403);
      }
      return $response;
    }, 10, 3);
  });
  $when('refuses-by-error-200', function () {
    add_filter('rest_request_before_callbacks', function ($response, $handler, $request) {
      if ($request->get_method() === 'POST') {
        wp_send_json(['code' => 'blocked', 'message' => 'Blocked by the security policy of this site.', 'data' => null], 200);
      }
      return $response;
    }, 10, 3);
  });
  $page = function ($status, $words) use ($writes) {
    if ($writes) {
      add_action('init', function () use ($status, $words) {
        status_header($status);
        header('Content-Type: text/html');
        exit($words);
      });
    }
  };
  $html = '<!doctype html><html><head><title>Request denied</title></head><body><h1>Request denied</h1><p>Site Guard has refused this.</p></body></html>';
  foreach ([200, 403, 404] as $code) {
    $when("page-$code", function () use ($page, $code, $html) {
      $page($code, $html);
    });
  }
  $when('empty-200', function () use ($page) {
    $page(200, '');
  });
  $when('empty-403', function () use ($page) {
    $page(403, '');
  });
  $when('redirects-writes', function () use ($writes) {
    if ($writes) {
      add_action('init', function () {
        wp_redirect(home_url('/'), 301);
        exit;
      });
    }
  });
  $when('needs-nonce', function () use ($writes) {
    if ($writes) {
      add_filter('rest_authentication_errors', function ($errors) {
        return isset($_SERVER['HTTP_X_WP_NONCE']) ? $errors
          : new WP_Error('rest_cookie_invalid_nonce', 'Cookie check failed', ['status' => 403]);
      }, 200);
    }
  });
  // As firewalls of the kind of BBQ: long addresses are refused without a word.
  $when('refuses-long-addresses', function () {
    if (strlen($_SERVER['REQUEST_URI'] ?? '') > 255) {
      header('HTTP/1.1 403 Forbidden');
      header('Connection: Close');
      exit;
    }
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
  $when('envelopes', function () {
    add_filter('rest_pre_echo_response', function ($result) {
      return ['success' => true, 'data' => $result];
    });
  });
  $when('text-ids', function () {
    add_filter('rest_pre_echo_response', function ($result) {
      array_walk_recursive($result, function (&$value) {
        $value = is_int($value) ? (string) $value : $value;
      });
      return $result;
    });
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
  $when('caches-posts-by-route', function ($word) {
    $key = function ($request) use ($word) {
      return 'galley_test_get_' . md5($word . $request->get_route());
    };
    $is = function ($request) {
      return $request->get_method() === 'GET' && preg_match('#^/wp/v2/(posts|media|categories|tags)#', $request->get_route());
    };
    add_filter('rest_pre_dispatch', function ($result, $server, $request) use ($key, $is) {
      $kept = $is($request) ? get_transient($key($request)) : false;
      return $kept === false ? $result : new WP_REST_Response($kept, 200);
    }, 10, 3);
    add_filter('rest_post_dispatch', function ($response, $server, $request) use ($key, $is) {
      if ($is($request) && !$response->is_error()) {
        set_transient($key($request), $server->response_to_data($response, false), 300);
      }
      return $response;
    }, 10, 3);
  });
  $when('relative-addresses', function () {
    add_filter('wp_get_attachment_url', 'wp_make_link_relative');
    add_filter('post_link', 'wp_make_link_relative');
  });
  $when('protocol-relative', function () {
    add_filter('wp_get_attachment_url', function ($url) {
      return preg_replace('#^https?:#', '', $url);
    });
  });
  // ROUTES
  $without = function ($pattern) {
    add_filter('rest_endpoints', function ($endpoints) use ($pattern) {
      return array_filter($endpoints, function ($route) use ($pattern) {
        return !preg_match($pattern, $route);
      }, ARRAY_FILTER_USE_KEY);
    });
  };
  $when('no-user-lists', function () use ($without) {
    $without('#^/wp/v2/users(?!/me$)#');
  });
  $when('no-user-routes', function () use ($without) {
    $without('#^/wp/v2/users#');
  });
  $when('few-routes', function () use ($without) {
    $without('#^/(wp/v2/(types|statuses|settings|taxonomies|users(?!/me$)|plugins|themes)|batch)#');
  });
  $when('no-media-list', function () {
    add_filter('rest_pre_dispatch', function ($result, $server, $request) {
      return $request->get_method() === 'GET' && $request->get_route() === '/wp/v2/media'
        ? new WP_Error('rest_forbidden', 'Listing media is not allowed.', ['status' => 403]) : $result;
    }, 10, 3);
  });
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
  $when('throws-before-publish', function () use ($data) {
    $data(function ($data) {
      if ($data['post_status'] === 'publish') {
        throw new RuntimeException('No token for the social network.');
      }
      return $data;
    });
  });
  $when('throws-on-terms', function () {
    add_action('set_object_terms', function ($id, $terms, $ids, $taxonomy) {
      if ($taxonomy === 'category' && get_post_field('post_content', $id) !== '') {
        throw new RuntimeException('Cannot index.');
      }
    }, 10, 4);
  });
  $when('throws-on-upload', function () {
    add_action('add_attachment', function () {
      throw new RuntimeException('The CDN cannot be reached.');
    });
  });
  $when('throws-on-new-term', function () {
    add_action('created_term', function () {
      throw new RuntimeException('Cannot index.');
    });
  });
  // FILES
  $when('moves-to-cdn', function () {
    add_filter('wp_get_attachment_url', function ($url) {
      return preg_replace('#^https?://[^/]+/wp-content/uploads/#', 'https://cdn.example/files/', $url);
    });
  });
  $when('converts-to-webp', function () {
    add_filter('wp_handle_upload', function ($upload) {
      $name = preg_replace('/\.png$/', '.webp', $upload['file']);
      $image = @imagecreatefrompng($upload['file']);
      if (!$image) {
        return $upload;
      }
      imagepalettetotruecolor($image);
      imagewebp($image, $name);
      unlink($upload['file']);
      return ['file' => $name, 'url' => preg_replace('/\.png$/', '.webp', $upload['url']), 'type' => 'image/webp'];
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
  $when('detaches-files', function () {
    add_filter('wp_insert_attachment_data', function ($data) {
      $data['post_parent'] = 0;
      return $data;
    });
  });
  $when('refuses-files', function () {
    add_filter('wp_handle_upload_prefilter', function ($file) {
      $file['error'] = 'Pictures have to be at least 1200 pixels wide.';
      return $file;
    });
    add_filter('wp_handle_sideload_prefilter', function ($file) {
      $file['error'] = 'Pictures have to be at least 1200 pixels wide.';
      return $file;
    });
  });
  $when('needs-alt', function () {
    add_filter('rest_pre_insert_attachment', function ($file, $request) {
      return $request['alt_text'] ? $file : new WP_Error('alt_text_required', 'A picture needs alternative text.', ['status' => 400]);
    }, 10, 2);
  });
  // META, TERMS
  $when('deletes-meta', function () {
    add_action('init', function () {
      register_post_meta('post', '_yoast_wpseo_metadesc', ['type' => 'string', 'single' => true, 'show_in_rest' => true, 'auth_callback' => '__return_true']);
    });
    add_action('updated_post_meta', function ($a, $id, $key) {
      if ($key === '_yoast_wpseo_metadesc') delete_post_meta($id, $key);
    }, 10, 3);
    add_action('added_post_meta', function ($a, $id, $key) {
      if ($key === '_yoast_wpseo_metadesc') delete_post_meta($id, $key);
    }, 10, 3);
  });
  $when('adds-tags', function () {
    add_action('save_post_post', function ($id, $post) {
      if ($post->post_content !== '') wp_set_post_tags($id, ['auto tagged'], true);
    }, 99, 2);
    add_action('rest_after_insert_post', function ($post) {
      if ($post->post_content !== '') wp_set_post_tags($post->ID, ['auto tagged'], true);
    });
  });
  $when('one-category', function () {
    add_action('rest_after_insert_post', function ($post) {
      wp_set_post_categories($post->ID, [(int) get_option('default_category')]);
    });
  });
  $when('sets-first-image', function () {
    add_action('rest_after_insert_post', function ($post) {
      if (!has_post_thumbnail($post->ID) && preg_match('/wp-image-(\d+)/', $post->post_content, $found)) {
        set_post_thumbnail($post->ID, (int) $found[1]);
      }
    });
  });
  $when('renames-terms', function () {
    add_filter('pre_insert_term', function ($term) {
      return is_string($term) ? ucwords(strtolower($term)) : $term;
    });
  });
  $when('no-new-terms', function () {
    add_filter('pre_insert_term', function () {
      return new WP_Error('terms_closed', 'New tags have to be approved by the editors.', ['status' => 403]);
    });
  });
  $when('backdates', function () use ($data) {
    $data(function ($data) {
      if ($data['post_status'] === 'publish') {
        $data['post_date'] = $data['post_date_gmt'] = '2019-05-01 08:00:00';
      }
      return $data;
    });
  });
  // WPML: terms by language through `wpml_language`, the language of the request decides.
  $when('site-author', function () use ($data) {
    $data(function ($data) {
      $data['post_author'] = 1;
      return $data;
    });
  });
})();
