<?php
// Installs WordPress with pretty permalinks and one user a role (ROLES, JSON), each with a random password and an
// application password, and prints {version, users} as JSON.
define('WP_INSTALLING', true);
require getenv('DOCUMENT_ROOT') . '/wp-load.php';
require ABSPATH . 'wp-admin/includes/upgrade.php';
ob_start();
// the installer asks the site itself whether pretty permalinks work, and nothing answers yet
add_filter('pre_http_request', fn() => new WP_Error('no_answer_yet'));
$users = [];
foreach (json_decode(getenv('ROLES')) as $role) {
    $password = wp_generate_password(16, false);
    if ($role === 'administrator') {
        $id = wp_install('Galley demo', $role, "$role@example.test", true, '', $password)['user_id'];
    } else {
        $id = wp_insert_user(['user_login' => $role, 'user_pass' => $password, 'user_email' => "$role@example.test", 'role' => $role]);
    }
    [$secret] = WP_Application_Passwords::create_new_application_password($id, ['name' => 'Galley']);
    $users[$role] = ['login' => $role, 'password' => $password, 'applicationPassword' => $secret];
}
$wp_rewrite->set_permalink_structure('/%postname%/');
$wp_rewrite->flush_rules(false);
ob_end_clean();
echo json_encode(['version' => get_bloginfo('version'), 'users' => $users]);
