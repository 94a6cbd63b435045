<?php

declare(strict_types=1);

namespace Libpayments\Tests\Support;

/**
 * A folder that is deleted with the object.
 */
final class Folder
{
    private string $path;

    public function __construct()
    {
        $this->path = sys_get_temp_dir() . '/libpayments-' . bin2hex(random_bytes(6));
        mkdir($this->path, 0755);
    }

    public function __destruct()
    {
        $all = new \RecursiveIteratorIterator(
            new \RecursiveDirectoryIterator($this->path, \FilesystemIterator::SKIP_DOTS),
            \RecursiveIteratorIterator::CHILD_FIRST,
        );
        foreach ($all as $file) {
            $file->isDir() && !$file->isLink() ? rmdir($file->getPathname()) : unlink($file->getPathname());
        }
        rmdir($this->path);
    }

    /** Copies a folder into this one, without the files that installing and testing leave in it. */
    public function copy(string $from, string $name): string
    {
        mkdir("$this->path/$name");
        foreach (new \FilesystemIterator($from) as $file) {
            $to = "$name/{$file->getFilename()}";
            if ($file->getFilename() === 'vendor') {
                continue;
            }
            $file->isDir() ? $this->copy($file->getPathname(), $to) : copy($file->getPathname(), "$this->path/$to");
        }
        return "$this->path/$name";
    }

    /** Lets another user write here. */
    public function giveTo(int $user): void
    {
        chown($this->path, $user);
    }

    /** The path of a file in it. */
    public function file(string $name, ?string $content = null): string
    {
        if ($content !== null) {
            file_put_contents("$this->path/$name", $content);
        }
        return "$this->path/$name";
    }
}
