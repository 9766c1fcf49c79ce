<?php
// php install.php ROOT THEME: installs the WordPress in ROOT with that theme, makes one user for each role, each with
// an application password, and prints them as one line of JSON.
[, $root] = $argv;
// not a variable: WordPress has one of that name
define('CHOSEN_THEME', $argv[2]);
define('WP_INSTALLING', true);
$_SERVER['HTTP_HOST'] = '127.0.0.1';
require $root . '/wp-load.php';
require ABSPATH . 'wp-admin/includes/upgrade.php';

ob_start();
wp_install('Loopback', 'administrator', 'administrator@example.test', true, '', 'administrator-password');
if (wp_get_theme(CHOSEN_THEME)->exists()) {
    switch_theme(CHOSEN_THEME);
}
$users = [];
foreach (['administrator', 'editor', 'author', 'contributor', 'subscriber'] as $role) {
    $known = get_user_by('login', $role);
    $id = $known ? $known->ID : wp_insert_user([
        'user_login' => $role,
        'user_pass' => "$role-password",
        'user_email' => "$role@example.test",
        'role' => $role,
    ]);
    [$secret] = WP_Application_Passwords::create_new_application_password($id, ['name' => 'tests']);
    $users[$role] = ['login' => $role, 'password' => "$role-password", 'applicationPassword' => $secret];
}
ob_end_clean();

echo json_encode(['version' => get_bloginfo('version'), 'url' => home_url(), 'users' => $users]), "\n";
